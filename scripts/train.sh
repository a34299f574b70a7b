#!/usr/bin/env bash
# fairseq-train with sound settings for multi-task training; every one can be given again.
#
#   scripts/train.sh DATA-BIN --save-dir OUT [OPTIONS of fairseq-train]
#
#   UPDATES=2000 LR=0.001      the rate rises over the first twentieth of the updates, then falls to 0
#   TOKENS=4096                in an update, of all processes together
#   PROCESSES=2                default: one a GPU; without GPU one a core, at most 2
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

[ $# -ge 1 ] || { sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}" >&2; exit 2; }
updates=${UPDATES:-2000} tokens=${TOKENS:-4096}
for number in "$updates" "$tokens" "${PROCESSES:-1}"; do
  [[ $number =~ ^[1-9][0-9]*$ ]] || { echo "train: UPDATES, TOKENS and PROCESSES are whole numbers from 1 on, not '$number'" >&2; exit 2; }
done

gpus=$(nvidia-smi -L 2>/dev/null | wc -l) || gpus=0
device=() cores=$(nproc)
if [ "$gpus" -gt 0 ]; then
  processes=${PROCESSES:-$gpus}
else
  processes=${PROCESSES:-$((cores > 1 ? 2 : 1))} device=(--cpu)
fi

# With the last value of an option counting, what the user gives comes last.
exec "$here/train_distributed.sh" "$processes" "$1" --user-dir "$here/../user_dir" \
  --task mtl_multitask --arch mtl_encoder --criterion mtl_multitask ${device[@]+"${device[@]}"} \
  --optimizer adam --adam-betas '(0.9, 0.98)' --adam-eps 1e-6 --weight-decay 0.01 --clip-norm 1.0 \
  --lr "${LR:-0.001}" --lr-scheduler polynomial_decay --warmup-updates $((updates / 20)) \
  --total-num-update "$updates" --max-update "$updates" --max-tokens $((tokens / processes)) \
  --best-checkpoint-metric score --maximize-best-checkpoint-metric --no-epoch-checkpoints \
  "${@:2}"
