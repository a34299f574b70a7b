#!/usr/bin/env bash
# All benchmarks, one after the other; nothing else should run meanwhile.
#
#   scripts/bench.sh            all of them
#   scripts/bench.sh --quick    smaller sizes
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
prepare=(--lines 1000000) world=() training=()
case "${1:-}" in
  "") ;;
  --quick) prepare=(--count 5000 --repeats 3) world=(--count 20000) training=(--quick) ;;
  *) echo "bench.sh: unknown option '$1' (there is --quick)" >&2; exit 2 ;;
esac
.venv/bin/python benchmarks/bench_world.py ${world[@]+"${world[@]}"}
echo
.venv/bin/python benchmarks/bench_prepare.py "${prepare[@]}"
echo
.venv/bin/python benchmarks/bench_training.py ${training[@]+"${training[@]}"}
