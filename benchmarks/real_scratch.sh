#!/usr/bin/env bash
# An encoder from scratch (4 layers, 256 wide) on real data: own tokenizer, plain text first, then
# nli, pa, qa, ner x en, es at once; scores on the test split.
#
#   benchmarks/real_scratch.sh FOLDER OUT      FOLDER as for real_data.sh
#   WARMUP=2000 UPDATES=2500                   updates on plain text, on the tasks
set -euo pipefail
[ $# -eq 2 ] || { sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p;}' "$0" >&2; exit 2; }
source=$1 out=$2
root=$(cd "$(dirname "$0")/.." && pwd)
export PATH=$root/.venv/bin:$PATH
started=$SECONDS
mkdir "$out"
shopt -s nullglob

for pair in {nli,pa,qa,ner}-{en,es}; do
  mkdir -p "$out/raw/$pair"
  cat "$source/${pair%-*}"{,_extra_*}".${pair#*-}.train.jsonl" > "$out/raw/$pair/train.jsonl"
  cp "$source/${pair%-*}.${pair#*-}.dev.jsonl" "$out/raw/$pair/valid.jsonl"
done
mtlprune tokenizer --raw "$out/raw" --size 8000 --out "$out/tokenizer"
"$root/benchmarks/real_data.sh" "$source" "$out/tokenizer" "$out/data-bin"
for language in en es; do
  for split in train valid; do
    python - "$out/raw" "$language" "$split" > "$out/$language.$split.txt" <<'PYTHON'
import sys
from pathlib import Path

from mtlprune.data.corpus import texts

folder, language, split = sys.argv[1:]
seen = set()  # contexts and premises come several times
for path in sorted(Path(folder).glob(f"*-{language}/{split}.jsonl")):
    for text in texts(path):
        line = " ".join(text.split())
        if len(line) > 20 and line not in seen:
            seen.add(line)
            print(line)
PYTHON
  done
  mtlprune prepare --pair "mlm-$language" --format text --tokenizer "$out/tokenizer" --out "$out/data-bin" \
    --train "$out/$language.train.txt" --valid "$out/$language.valid.txt"
done
echo "prepared in $((SECONDS - started)) s"

backbone=scratch:layers=4,heads=4,hidden=256
quiet=(--log-format simple --log-interval 500 --validate-interval 1000000 --autocast)
UPDATES=${WARMUP:-2000} LR=0.001 TOKENS=4096 "$root/scripts/pretrain.sh" "$out/data-bin" --save-dir "$out/warm" \
  --backbone $backbone "${quiet[@]}" > "$out/warm.log" 2>&1
UPDATES=${UPDATES:-2500} LR=0.0005 TOKENS=4096 "$root/scripts/train.sh" "$out/data-bin" --save-dir "$out/trained" \
  --finetune-from-model "$out/warm/checkpoint_last.pt" --backbone $backbone "${quiet[@]}" > "$out/train.log" 2>&1
echo "trained, all in all $((SECONDS - started)) s"
pairs=$(printf '%s,' {nli,pa,qa,ner}-{en,es})
fairseq-validate "$out/data-bin" --user-dir "$root/user_dir" --task mtl_multitask --pairs "${pairs%,}" \
  --path "$out/trained/checkpoint_last.pt" --valid-subset test --max-tokens 8192 --cpu --log-format simple 2>&1 |
  grep -o "'test' subset.*" | tr '|' '\n' | grep -E '(_accuracy|_f1|_exact|score)'
