#!/usr/bin/env bash
# The whole pipeline on the built-in bilingual world, from nothing: one small encoder learns four
# tasks in two languages in some minutes.
#
#   scripts/demo.sh [--long] [FOLDER]  where to put everything; default: demo
#                                      --long trains about six times as long (40 minutes on 2 cores)
#   TRAIN=… VALID=… TEST=… SEED=…      size and seed of the world
#   WARMUP=… UPDATES=… PROCESSES=…     updates on plain text, on the tasks; processes that train
set -euo pipefail
cd "$(dirname "$0")/.."

times=1
if [ "${1:-}" = --long ]; then times=6; shift; fi
case ${1:-} in -*) sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p;}' "$0" >&2; exit 2 ;; esac
demo=${1:-demo}
train=${TRAIN:-$((times == 1 ? 50000 : 200000))}
valid=${VALID:-1000}
test=${TEST:-1000}
seed=${SEED:-1}
warmup=${WARMUP:-$((2300 * times))}
updates=${UPDATES:-$((1800 * times))}

scripts/setup.sh
export PATH=$PWD/.venv/bin:$PATH

step() { printf '\n== %s\n' "$*"; }
# Of a training log: updates and loss.
progress() { sed -un 's/.* \(loss=[^,]*\),.*num_updates=\([0-9]*\),.*/   update \2: \1/p'; }

# Everything is made anew: the demo shows what happens, it does not resume.
rm -rf "$demo/raw" "$demo/tokenizer" "$demo/data-bin" "$demo/warm" "$demo/trained" "$demo/predictions"
mkdir -p "$demo"

step "1. A world of people, places and facts, told in English and Spanish"
mtlprune world --out "$demo/raw" --train "$train" --valid "$valid" --test "$test" --seed "$seed"

step "2. A tokenizer trained on its text"
mtlprune tokenizer --raw "$demo/raw" --size "${VOCABULARY:-500}" --out "$demo/tokenizer"

step "3. Training data: four tasks and plain text, in two languages"
mtlprune prepare --raw "$demo/raw" --tokenizer "$demo/tokenizer" --out "$demo/data-bin"

backbone=scratch:layers=4,heads=4,hidden=128,dropout=0
quiet=(--log-format simple --log-interval 500 --validate-interval 1000000)

step "4. An encoder from scratch reads plain text with hidden words ($demo/warm.log)"
started=$SECONDS
UPDATES=$warmup LR=0.002 TOKENS=2048 scripts/pretrain.sh "$demo/data-bin" --save-dir "$demo/warm" \
  --backbone $backbone --decoder-dropout 0 --seed "$seed" "${quiet[@]}" 2>&1 | tee "$demo/warm.log" | progress

step "5. It learns the four tasks, in both languages at once ($demo/train.log)"
UPDATES=$updates LR=0.0005 TOKENS=2048 scripts/train.sh "$demo/data-bin" --save-dir "$demo/trained" \
  --finetune-from-model "$demo/warm/checkpoint_last.pt" --backbone $backbone --decoder-dropout 0 \
  --seed "$seed" "${quiet[@]}" 2>&1 | tee "$demo/train.log" | progress
echo "   trained in $(((SECONDS - started + 30) / 60)) minutes"

step "6. Scores on examples it has not seen"
pairs=$(for task in nli pa qa ner; do printf '%s-en,%s-es,' $task $task; done)
fairseq-validate "$demo/data-bin" --user-dir user_dir --task mtl_multitask --pairs "${pairs%,}" \
  --path "$demo/trained/checkpoint_last.pt" --valid-subset test --max-tokens 8192 --cpu \
  --log-format simple > "$demo/test.log" 2>&1 || { tail -5 "$demo/test.log" >&2; exit 1; }
grep -o "'test' subset.*" "$demo/test.log" | tr '|' '\n' | grep -E '(_accuracy|_f1|score)' | sed 's/^/  /'

step "7. One example a task, in both languages"
mtlprune predict --path "$demo/trained/checkpoint_last.pt" --data "$demo/data-bin" --pairs "${pairs%,}" \
  --show 1 --out "$demo/predictions"

step "Done: $demo/trained/checkpoint_last.pt, predictions in $demo/predictions"
