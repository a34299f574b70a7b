#!/usr/bin/env bash
# The whole pipeline on the built-in bilingual world, from nothing.
#
#   scripts/demo.sh [FOLDER]           where to put everything; default: demo
#   TRAIN=… VALID=… TEST=… SEED=…      size and seed of the world
set -euo pipefail
cd "$(dirname "$0")/.."

demo=${1:-demo}
train=${TRAIN:-20000}
valid=${VALID:-1000}
test=${TEST:-1000}
seed=${SEED:-1}

scripts/setup.sh
export PATH=$PWD/.venv/bin:$PATH

step() { printf '\n== %s\n' "$*"; }

# Everything is made anew: the demo shows what happens, it does not resume.
rm -rf "$demo/raw" "$demo/tokenizer" "$demo/data-bin"
mkdir -p "$demo"

step "1. A world of people, places and facts, told in English and Spanish"
mtlprune world --out "$demo/raw" --train "$train" --valid "$valid" --test "$test" --seed "$seed"

step "2. A tokenizer trained on its text"
mtlprune tokenizer --raw "$demo/raw" --size "${VOCABULARY:-550}" --out "$demo/tokenizer"

step "3. Training data: four tasks and plain text, in two languages"
mtlprune prepare --raw "$demo/raw" --tokenizer "$demo/tokenizer" --out "$demo/data-bin"

step "Done: training data in $demo/data-bin"
