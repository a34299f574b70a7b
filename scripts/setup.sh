#!/usr/bin/env bash
# Makes .venv and installs mtlprune with all it needs. Safe to call again, to interrupt, and to
# call twice at once. Called by demo.sh and test.sh.
#
#   SETUP_PYTHON=/path/to/python3.12   interpreter to use (3.11 or 3.12); default: the first found
#   MTLPRUNE_TORCH=...                 which torch: pip arguments, e.g. "torch==2.9.1" or a wheel's
#                                      path; "system" keeps the torch of the chosen interpreter
#                                      (CUDA and all); default: torch==2.13.0
set -euo pipefail
cd "$(dirname "$0")/.."

venv=$PWD/.venv
unfinished=$venv/.mtlprune-unfinished
stamp=$venv/.mtlprune-ready
torch=${MTLPRUNE_TORCH:-torch==2.13.0}

fail() { printf 'setup: %s\n' "$*" >&2; exit 2; }
say() { printf 'setup: %s\n' "$*" >&2; }

# Prints "3.11" or "3.12" when $1 runs and is one of these; a pyenv shim may exist and not run.
version_of() {
  "$1" -c 'import sys; v = "%d.%d" % sys.version_info[:2]; sys.exit(v not in ("3.11", "3.12")) or print(v)' 2>/dev/null
}

find_python() {
  local name
  if [ -n "${SETUP_PYTHON:-}" ]; then
    version_of "$SETUP_PYTHON" >/dev/null || fail "SETUP_PYTHON=$SETUP_PYTHON is not a working Python 3.11 or 3.12; give the path of one"
    printf '%s\n' "$SETUP_PYTHON"
    return
  fi
  for name in python3.11 python3.12 python3 python; do
    if version_of "$name" >/dev/null; then command -v "$name"; return; fi
  done
  fail "no Python 3.11 or 3.12 found (looked for python3.11, python3.12, python3, python). Install one, e.g. 'apt-get install python3.11 python3.11-venv', or point to it: SETUP_PYTHON=/path/to/python3.11 $0"
}

# What the environment was made from; a change of any of it means work to do.
wanted() {
  printf 'place %s\ntorch %s\n' "$PWD" "$torch"
  sha256sum setup.py pyproject.toml scripts/setup.sh
}

is_ready() {
  [ ! -e "$unfinished" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(wanted)" ] || return 1
  local have
  have=$(version_of "$venv/bin/python") || return 1
  [ -z "${SETUP_PYTHON:-}" ] || [ "$(version_of "$SETUP_PYTHON")" = "$have" ]
}

has_gpu() { [ -e /dev/nvidia0 ] || [ -e /dev/kfd ] || { command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1; }; }

pip() { "$venv/bin/python" -m pip --disable-pip-version-check "$@"; }

# On Linux the registry's torch is a CUDA build with gigabytes of nvidia packages. Ask pip what it
# would take before taking it.
install_torch() {
  local report
  if [ "$torch" = system ]; then
    "$venv/bin/python" -c 'import torch' 2>/dev/null || fail "MTLPRUNE_TORCH=system, but the interpreter has no working torch; install one there (2.6 to 2.13) or unset MTLPRUNE_TORCH"
    return
  fi
  if [ -z "${MTLPRUNE_TORCH:-}" ] && ! has_gpu; then
    report=$(mktemp)
    # shellcheck disable=SC2086  # several pip arguments
    pip install -qq --dry-run --report "$report" $torch >&2 || { rm -f "$report"; fail "pip cannot find $torch (see above)"; }
    if grep -q '"name": *"nvidia-' "$report"; then
      rm -f "$report"
      fail "this machine has no GPU, but pip would fetch the CUDA build of torch (several GB). Take the CPU build: put the pip arguments that pytorch.org/get-started gives for 'CPU' into MTLPRUNE_TORCH, e.g. MTLPRUNE_TORCH='torch==2.13.0 --index-url <the CPU index>' $0; to take the CUDA build all the same: MTLPRUNE_TORCH=torch==2.13.0 $0"
    fi
    rm -f "$report"
  fi
  # shellcheck disable=SC2086
  pip install -qq $torch >&2 || fail "installing $torch failed (see above)"
}

make_venv() {
  local python site=()
  python=$(find_python)
  say "making $venv with $("$python" --version), a minute or two ..."
  rm -rf "$venv"
  mkdir -p "$venv" && touch "$unfinished"
  [ "$torch" = system ] && site=(--system-site-packages)
  "$python" -m venv ${site[@]+"${site[@]}"} "$venv" >&2 || fail "$python cannot make an environment; on Debian and Ubuntu: apt-get install python3.11-venv (or python3.12-venv)"
}

# An environment with neither of our two marks was made by the user: it is added to, never removed.
is_users_own() { [ -x "$venv/bin/python" ] && [ ! -e "$unfinished" ] && [ ! -e "$stamp" ]; }

install() {
  if is_users_own; then
    version_of "$venv/bin/python" >/dev/null || fail "$venv is an environment of yours without Python 3.11 or 3.12; move it away and run $0 again"
    say "installing into your $venv ..."
  else
    make_venv
  fi
  install_torch
  pip install -qq -e '.[dev]' >&2 || fail "installing mtlprune failed (see above); run $0 again once that is mended"
  # fairseq asks for torchaudio and never imports it, transformers imports it when it is there, and
  # the registry's build does not load beside a CPU torch: then BertModel cannot be imported.
  "$venv/bin/python" -c 'import torchaudio' 2>/dev/null || pip uninstall -qq --yes torchaudio >&2
  wanted >"$stamp"
  rm -f "$unfinished"
  say "ready: $venv"
}

command -v sha256sum >/dev/null || fail "sha256sum is missing (package coreutils)"
if command -v flock >/dev/null; then
  exec 9>.setup.lock
  flock 9
fi
is_ready || install
