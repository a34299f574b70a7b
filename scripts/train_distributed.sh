#!/usr/bin/env bash
# fairseq-train in several processes that train one model: one a GPU (nccl), or with --cpu as many
# as wanted (gloo). OPTIONS are those of fairseq-train, without --distributed-...; batch sizes are
# those of one process.
#
#   scripts/train_distributed.sh N DATA-BIN OPTIONS...               N processes on this machine
#   torchrun --nnodes 2 --nproc-per-node 4 --node-rank 0 --master-addr HOST --master-port 29500 \
#       --no-python scripts/train_distributed.sh DATA-BIN OPTIONS... on each of several machines
#   srun scripts/train_distributed.sh DATA-BIN OPTIONS...            in a SLURM job (slurm_train.sh)
#
#   OMP_NUM_THREADS=…    threads a process; default: cores divided by N
#   MTLPRUNE_PYTHON=…    interpreter to use; default: that of .venv, or else python3
#
# With N, only the first process is heard; another one's last lines are shown when it fails. When
# one ends with an error, or on Ctrl-C or SIGTERM, all are ended. Exit code: that of the first
# process that failed; 2 for a user's mistake.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# fairseq_cli.train comes first: it sets up logging, and nothing else may have done so before.
entry='from fairseq_cli import train; from mtlprune.plugin.distributed import main; main(train)'

say() { printf 'train_distributed: %s\n' "$*" >&2; }
fail() { say "$@"; exit 2; }
usage() { sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"; }
is_number() { [[ $1 =~ ^(0|[1-9][0-9]{0,8})$ ]]; }

find_python() {
  python=${MTLPRUNE_PYTHON:-$here/../.venv/bin/python}
  if [ -z "${MTLPRUNE_PYTHON:-}" ] && [ ! -x "$python" ]; then python=python3; fi
  command -v "$python" >/dev/null || fail "no interpreter $python: run scripts/setup.sh, or point to one with MTLPRUNE_PYTHON"
}

check_options() {
  local word cpu=
  [ $# -gt 0 ] || fail "give the data folder and the options of fairseq-train"
  for word; do
    case ${word%%=*} in
      --distributed-* | --device-id | --local_rank | --local-rank)
        fail "${word%%=*} is set by this script; leave it out (the number of processes comes first: scripts/train_distributed.sh 2 DATA-BIN ...)" ;;
      --cpu) cpu=1 ;;
    esac
  done
  # Otherwise each process would still take a piece of the first GPU.
  if [ -n "$cpu" ]; then export CUDA_VISIBLE_DEVICES=; fi
}

# ---- one process, started by torchrun or srun ---------------------------------------------------

under_torchrun() { [ -n "${RANK:-}" ] && [ -n "${WORLD_SIZE:-}" ] && [ -n "${LOCAL_RANK:-}" ] && [ -n "${MASTER_ADDR:-}" ] && [ -n "${MASTER_PORT:-}" ]; }
under_slurm() { [ -n "${SLURM_PROCID:-}" ] && [ -n "${SLURM_NTASKS:-}" ]; }

# Says in torchrun's words what SLURM says in its own.
translate_slurm() {
  local hosts step=${SLURM_STEP_ID:-${SLURM_STEPID:-}}
  # A batch script is "process 0" too, but the only one: it would wait for the others for ever.
  [ -n "$step" ] || fail "in a SLURM job, but not started by srun: write 'srun $0 ...', or give the number of processes for this machine alone: '$0 2 ...'"
  export RANK=$SLURM_PROCID WORLD_SIZE=${SLURM_STEP_NUM_TASKS:-$SLURM_NTASKS} LOCAL_RANK=${SLURM_LOCALID:-0}
  # A task bound to one GPU sees only that one, as its first.
  if [[ ${CUDA_VISIBLE_DEVICES:-} =~ ^[^,]+$ ]]; then LOCAL_RANK=0; fi
  if [ -z "${MASTER_ADDR:-}" ]; then
    hosts=$(scontrol show hostnames "${SLURM_STEP_NODELIST:-${SLURM_JOB_NODELIST:-}}") || fail "scontrol cannot tell the hosts of this job; set MASTER_ADDR to the first one"
    export MASTER_ADDR=${hosts%%$'\n'*}
  fi
  # The same in all processes, and below the ports that systems give to outgoing connections.
  export MASTER_PORT=${MASTER_PORT:-$((20000 + (${SLURM_JOB_ID:-0} * 31 + ${step//[^0-9]/}) % 12000))}
  export OMP_NUM_THREADS=${OMP_NUM_THREADS:-${SLURM_CPUS_PER_TASK:-1}}
}

be_one_process() {
  if is_number "${1:-}"; then fail "torchrun or srun starts the processes: leave out the number $1 (if it is a folder, write ./$1)"; fi
  check_options "$@"
  find_python
  exec "$python" -P -c "$entry" "$@"
}

# ---- N processes on this machine ----------------------------------------------------------------

pids=()   # by rank
codes=()  # by rank; empty while it runs
running=0
failures=0
first=    # the one that failed first
caught=   # signal to pass on
work=     # output of all ranks but the first

free_port() {
  "$python" -I -c '
import random, socket
for port in random.sample(range(20000, 32000), 200):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            continue
    print(port)
    break
'
}

set_environment() {
  local cores
  cores=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
  export OMP_NUM_THREADS=${OMP_NUM_THREADS:-$((cores > $1 ? cores / $1 : 1))}
  export WORLD_SIZE=$1 LOCAL_WORLD_SIZE=$1 MASTER_ADDR=127.0.0.1 MTLPRUNE_LAUNCHER=$$
  MASTER_PORT=$(free_port)
  [ -n "$MASTER_PORT" ] || fail "no free port between 20000 and 32000 on this machine"
  export MASTER_PORT
  unset TORCHELASTIC_USE_AGENT_STORE
  # gloo would take the address of the machine's name, which need not even be reachable.
  if [ -z "${GLOO_SOCKET_IFNAME:-}" ] && [ -d /sys/class/net/lo ]; then export GLOO_SOCKET_IFNAME=lo; fi
}

start_all() {
  local rank
  set -m  # a process group for each, so that its data loading workers are reached too
  for ((rank = 0; rank < WORLD_SIZE; rank++)); do
    if [ "$rank" = 0 ]; then
      RANK=$rank LOCAL_RANK=$rank "$python" -P -c "$entry" "$@" </dev/null &
    else
      RANK=$rank LOCAL_RANK=$rank "$python" -P -c "$entry" "$@" </dev/null >"$work/$rank" 2>&1 &
    fi
    pids[rank]=$!
  done
  set +m
}

# Notes which processes have ended, and how.
look() {
  local rank code
  running=0
  for rank in "${!pids[@]}"; do
    [ -z "${codes[rank]:-}" ] || continue
    if kill -0 "${pids[rank]}" 2>/dev/null; then
      running=$((running + 1))
      continue
    fi
    code=0
    wait "${pids[rank]}" || code=$?
    codes[rank]=$code
    [ "$code" != 0 ] || continue
    failures=$((failures + 1))
    kill -KILL -- "-${pids[rank]}" 2>/dev/null || true  # its data loading workers
  done
}

send() {
  local rank
  for rank in "${!pids[@]}"; do
    [ -n "${codes[rank]:-}" ] || kill "-$1" -- "-${pids[rank]}" 2>/dev/null || true
  done
}

# Waits until all processes have ended, one has failed, or a signal has come.
watch() {
  look
  while [ "$running" -gt 0 ] && [ "$failures" = 0 ] && [ -z "$caught" ]; do
    sleep 0.2 || true
    look
  done
} 2>/dev/null  # bash's own remarks on children that were killed

# Gives the processes $1 seconds to end by themselves.
await() {
  local limit=$((SECONDS + $1))
  look
  while [ "$running" -gt 0 ] && [ "$SECONDS" -lt "$limit" ]; do
    sleep 0.2 || true
    look
  done
} 2>/dev/null

end_all() {
  await "$1"
  send TERM
  await 5
  send KILL
  await 5
}

# Which process failed first. Of several that ended at about the same time, one that was killed is
# the cause, and one that lost the connection to it is not; a user's mistake comes next.
first_failure() {
  local rank code best=0 weight
  for rank in "${!codes[@]}"; do
    code=${codes[rank]}
    weight=$((code > 128 ? 3 : code == 2 ? 2 : code > 0 ? 1 : 0))
    if [ "$weight" -gt "$best" ]; then
      best=$weight
      first=$rank
    fi
  done
}

# Tells what the quiet processes among $@ said last and how the first one failed; nothing of a
# user's mistake that all have found, since process 0 has told it.
tell() {
  local rank code=${codes[first]} how
  if [ "$code" = 2 ] && [ "${codes[0]:-}" = 2 ]; then return; fi
  for rank; do
    if [ ! -s "$work/$rank" ]; then continue; fi
    say "last lines of process $rank:"
    tail -n 20 "$work/$rank" | sed 's/^/    /' >&2
  done
  how="failed with exit code $code"
  if [ "$code" -gt 128 ] && kill -l $((code - 128)) >/dev/null 2>&1; then
    how="was killed by signal $((code - 128)) (SIG$(kill -l $((code - 128))))"
  fi
  say "process $first of 0 to $((WORLD_SIZE - 1)) $how; all have been ended"
}

leave() {
  if [ "${#pids[@]}" -gt 0 ]; then end_all 0; fi
  if [ -n "$work" ]; then rm -rf "$work"; fi
}

end_by_signal() {
  local signal=$caught
  send "$signal"
  end_all 10
  say "ended by SIG$signal"
  exit $((128 + $(kill -l "$signal")))
}

train_here() {
  local failed=() rank signal
  { [ "$1" -gt 0 ] && [ "$1" -le 1024 ]; } || fail "$1 processes: give a number from 1 to 1024"
  check_options "${@:2}"
  find_python
  set_environment "$1"
  trap leave EXIT
  for signal in INT TERM HUP; do
    # shellcheck disable=SC2064  # the name of now
    trap "caught=$signal" "$signal"
  done
  work=$(mktemp -d)
  start_all "${@:2}"
  watch
  if [ -n "$caught" ]; then end_by_signal; fi
  [ "$failures" -gt 0 ] || return 0
  first_failure
  await 3  # others may have something to say about it
  for rank in "${!codes[@]}"; do
    if [ "${codes[rank]}" != 0 ]; then failed+=("$rank"); fi
  done
  end_all 0
  tell "${failed[@]}"
  exit "${codes[first]}"
}

case ${1:-} in
  '' | -h | --help) usage; exit $(($# > 0 ? 0 : 2)) ;;
esac
if under_torchrun || { is_number "$1" && [ "${SLURM_STEP_NUM_TASKS:-1}" -gt 1 ]; }; then
  be_one_process "$@"
elif is_number "$1"; then
  train_here "$@"
elif under_slurm; then
  translate_slurm
  be_one_process "$@"
else
  fail "how many processes? The number comes first: scripts/train_distributed.sh 2 DATA-BIN ... (or start this script with torchrun or srun; see --help)"
fi
