#!/usr/bin/env bash
# Puts promtool into build/tools, out of Debian's package but without installing it: the package would start a server.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
tools=$PWD/build/tools
if command -v promtool >/dev/null || [[ -x $tools/promtool ]]; then exit 0; fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
(cd "$folder" && apt-get -o APT::Sandbox::User=root download prometheus) >/dev/null 2>&1 &&
  dpkg-deb --fsys-tarfile "$folder"/prometheus_*.deb | tar -x -C "$folder" ./usr/bin/promtool &&
  install -D "$folder/usr/bin/promtool" "$tools/promtool" ||
  echo "dev: no promtool; the test that wants it will be skipped" >&2
