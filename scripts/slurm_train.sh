#!/usr/bin/env bash
#SBATCH --job-name=mtlprune
#SBATCH --open-mode=append
#SBATCH --requeue
# Training as a SLURM job: one task a GPU, or with --cpu one task a process. Nothing in here needs
# editing: the job is described by sbatch's options (or SBATCH_... variables), the training by the
# options of fairseq-train. Submit it from the project's folder:
#
#   sbatch --nodes 2 --ntasks-per-node 4 --gpus-per-node 4 --cpus-per-task 8 --time 24:00:00 \
#       scripts/slurm_train.sh DATA-BIN OPTIONS...
#
#   MTLPRUNE_HOME=…       the project's folder, if it is not the one sbatch is called in
#   MTLPRUNE_SRUN="…"     more options for srun, separated by spaces
#   MASTER_ADDR, MASTER_PORT, OMP_NUM_THREADS, MTLPRUNE_PYTHON   as in train_distributed.sh
#
# A job that is requeued goes on from its last checkpoint, if --save-dir is one that all nodes see.
set -euo pipefail

fail() { printf 'slurm_train: %s\n' "$*" >&2; exit 2; }

[ -n "${SLURM_JOB_ID:-}" ] || fail "not in a SLURM job; submit it: sbatch --ntasks-per-node 4 --gpus-per-node 4 $0 DATA-BIN ..."
[ -n "${SLURM_NTASKS:-}" ] || fail "how many processes? Give sbatch --ntasks-per-node (one a GPU) or --ntasks"

# sbatch runs a copy of this script from a folder of its own, so $0 does not say where we are.
home=${MTLPRUNE_HOME:-${SLURM_SUBMIT_DIR:-$PWD}}
script=$home/scripts/train_distributed.sh
[ -x "$script" ] || fail "$script is not there; submit from the project's folder or set MTLPRUNE_HOME to it"

cpu=
for word; do
  if [ "$word" = --cpu ]; then cpu=1; fi
done
gpus=$((${SLURM_GPUS_ON_NODE:-0} * ${SLURM_JOB_NUM_NODES:-${SLURM_NNODES:-1}}))
if [ -z "$cpu" ] && [ "$gpus" -gt 0 ] && [ "$gpus" != "$SLURM_NTASKS" ]; then
  fail "$SLURM_NTASKS tasks for $gpus GPUs; give sbatch as many --ntasks-per-node as --gpus-per-node"
fi

# srun no longer takes over sbatch's --cpus-per-task by itself (SLURM 22.05 and later).
options=(--kill-on-bad-exit=1)
if [ -n "${SLURM_CPUS_PER_TASK:-}" ]; then options+=("--cpus-per-task=$SLURM_CPUS_PER_TASK"); fi
read -r -a more <<<"${MTLPRUNE_SRUN:-}"

exec srun "${options[@]}" ${more[@]+"${more[@]}"} "$script" "$@"
