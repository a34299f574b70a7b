#!/usr/bin/env bash
# Warm up an encoder on plain text (masked language modelling), from scratch or from a pretrained
# one; fairseq-train --finetune-from-model OUT/checkpoint_last.pt takes it up afterwards.
#
#   scripts/pretrain.sh DATA-BIN --save-dir OUT [OPTIONS of fairseq-train]
#
#   PAIRS=mlm-en,mlm-es    plain-text pairs; default: all mlm pairs in DATA-BIN
#   UPDATES=1500 LR=0.002 TOKENS=2048 PROCESSES=2    as in train.sh
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

[ $# -ge 1 ] || { sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}" >&2; exit 2; }
pairs=${PAIRS:-}
if [ -z "$pairs" ]; then
  for folder in "$1"/mlm-*/; do
    if [ ! -d "$folder" ]; then
      echo "pretrain: no pair mlm-<language> in $1; make one: mtlprune prepare --pair mlm-en --format text --train FILE --valid FILE --tokenizer NAME --out $1" >&2
      exit 2
    fi
    pairs+=${pairs:+,}$(basename "$folder")
  done
fi
UPDATES=${UPDATES:-1500} LR=${LR:-0.002} TOKENS=${TOKENS:-2048} \
  exec "$here/train.sh" "$1" --pairs "$pairs" --hidden-share 0.3 "${@:2}"
