#!/usr/bin/env bash
# The eight pairs nli, pa, qa, ner x en, es of a folder of real data as training data.
#
#   benchmarks/real_data.sh FOLDER TOKENIZER DATA-BIN
#
# FOLDER has {nli,pa,qa,ner}.{en,es}.{train,dev,test}.jsonl; files named <task>_extra_*.<language>.train.jsonl
# are added to the training split. QA=2000 keeps that many lines of each QA training split.
set -euo pipefail
[ $# -eq 3 ] || { sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p;}' "$0" >&2; exit 2; }
source=$1 tokenizer=$2 out=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for pair in nli-en nli-es pa-en pa-es qa-en qa-es ner-en ner-es; do
  task=${pair%-*} language=${pair#*-}
  cat "$source/$task.$language.train.jsonl" > "$work/train.jsonl"
  for extra in "$source/${task}_extra_"*".$language.train.jsonl"; do
    [ ! -e "$extra" ] || cat "$extra" >> "$work/train.jsonl"
  done
  if [ "$task" = qa ] && [ -n "${QA:-}" ]; then
    head -n "$QA" "$work/train.jsonl" > "$work/cut.jsonl"
    mv "$work/cut.jsonl" "$work/train.jsonl"
  fi
  options=()
  [ "$task" != qa ] || options=(--max-length 256 --doc-stride 96)
  mtlprune prepare --pair "$pair" --format jsonl --tokenizer "$tokenizer" --out "$out" \
    --train "$work/train.jsonl" --valid "$source/$task.$language.dev.jsonl" \
    --test "$source/$task.$language.test.jsonl" ${options[@]+"${options[@]}"}
done
