#!/usr/bin/env bash
# connect-slurm.sh add|remove RELEASE BINARY: tells the running daemon (FAIRLEAD_ADDRESS, else the one of this machine) of a
# test cluster of this checkout, or makes it forget it. Without a daemon it says what to run later.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
verb=$1 release=$2 binary=$3
name=slurm-$release

running() { [[ -x $binary ]] && "$binary" clusters get >/dev/null 2>&1; }

if [[ $verb == remove ]]; then
  if running && "$binary" clusters describe "$name" >/dev/null 2>&1; then
    "$binary" clusters remove "$name" || echo "$name stays connected until nothing of ours holds capacity there" >&2
  fi
  exit 0
fi

declare -A of
while IFS='=' read -r key value; do of[$key]=$value; done < <(/usr/bin/python3 scripts/slurm_cluster.py env "$release")
add=(clusters add "$name" --slurm-rest "${of[rest_url]}" --slurm-conf "${of[slurm_conf]}"
  --token-command "${of[bin]}/scontrol" token username=%u lifespan=%s)
if ! running; then
  printf 'no daemon answers; to connect one later, as its own user:\n ' >&2
  printf ' %q' "$binary" "${add[@]}" >&2
  echo >&2
elif "$binary" clusters describe "$name" >/dev/null 2>&1; then
  echo "$name is connected already" >&2
else
  "$binary" "${add[@]}"
fi
