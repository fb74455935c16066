#!/usr/bin/env bash
# fuzz.sh [TARGET] [SECONDS]: runs the built fuzz targets. New inputs go to build/fuzz/corpus, crashes to build/fuzz/crashes;
# a crash that was fixed is copied to fuzz/corpus/TARGET, where every later run meets it again.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

targets=()
for file in fuzz/*_fuzz.cpp; do targets+=("$(basename "$file" _fuzz.cpp)"); done
if [[ $# -gt 0 && ! $1 =~ ^[0-9]+$ ]]; then
  if [[ ! -f fuzz/$1_fuzz.cpp ]]; then
    echo "fuzz: no such target: $1 (there are: ${targets[*]})" >&2
    exit 2
  fi
  targets=("$1")
  shift
fi
seconds=${1:-30}

for target in "${targets[@]}"; do
  echo "== $target, $seconds s"
  mkdir -p "build/fuzz/corpus/$target" "fuzz/corpus/$target" build/fuzz/crashes
  "build/fuzz/fuzz/${target}_fuzz" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/crashes/$target-" "build/fuzz/corpus/$target" "fuzz/corpus/$target"
done
