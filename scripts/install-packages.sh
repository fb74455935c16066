#!/usr/bin/env bash
# install-packages.sh GROUP...: installs what is missing of these groups of packaging/debian-packages.txt. No daemon is started.
set -euo pipefail
list="$(dirname "$(readlink -f "$0")")/../packaging/debian-packages.txt"

wanted=()
for group in "$@"; do
  mapfile -t -O "${#wanted[@]}" wanted < <(
    awk -v group="## $group:" '/^## /{inside = index($0, group) == 1; next} inside && NF && !/^#/{print $1}' "$list")
done

if ! command -v dpkg-query >/dev/null; then
  echo "dev: no dpkg here; these Debian 12 packages or their like must be installed: ${wanted[*]}" >&2
  exit 0
fi
mapfile -t missing < <(comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) \
  <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null | sed -n 's/^installed //p' | sort -u))
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
apt=(apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "dev: missing packages, and neither root nor sudo to install them. As root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
  apt=(sudo DEBIAN_FRONTEND=noninteractive "${apt[@]}")
fi
export DEBIAN_FRONTEND=noninteractive

echo "dev: installing ${missing[*]}" >&2
log="$(mktemp)"
policy=/usr/sbin/policy-rc.d  # Debian asks it before it starts a package's daemon
if [[ -e $policy ]]; then
  trap 'rm -f "$log"' EXIT
else
  trap '"${as_root[@]}" rm -f "$log" "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 755 "$policy"
fi
# --no-remove: a package of this machine that stands in the way is a person's to decide about.
if ! { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends --no-remove "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
  tail -n 30 "$log" >&2
  echo "dev: apt-get failed; the lines above say why" >&2
  exit 1
fi
