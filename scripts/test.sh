#!/usr/bin/env bash
# Set-up if needed, then style, types and all tests. Arguments go to pytest: scripts/test.sh -k store
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
scripts/lint.sh
exec .venv/bin/python -m pytest "$@"
