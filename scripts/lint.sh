#!/usr/bin/env bash
# lint.sh [PART...]: static checks. Prints one line `ok PART` or `FAILED PART` each; fails when one failed.
# shellcheck disable=SC2317  # the check_ functions are called by name
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.." || exit 1

# sources PATTERN...: files of the repository by name, each ended by a zero byte.
sources() {
  local pattern
  for pattern in "$@"; do
    find . \( -path ./build -o -path ./.git -o -name __pycache__ \) -prune -o -type f -name "$pattern" -print0
  done
}

check_format() {
  local wrong
  wrong=$(sources "*.hpp" "*.cpp" | xargs -0 -r clang-format-19 --dry-run --Werror 2>&1 | sed -n "s/^\([^:]*\):.*clang-formatted.*/\1/p" | sort -u)
  [[ -z $wrong ]] || { printf "%s: not formatted (./dev fmt)\n" "$wrong"; return 1; }
}

check_shell() { { printf 'dev\0.ci/run\0' && sources '*.sh'; } | xargs -0 shellcheck; }

check_python() {
  sources '*.py' | xargs -0 -r /usr/bin/python3 -c '
import ast, sys
for name in sys.argv[1:]:
    ast.parse(open(name, encoding="utf-8").read(), name)'
}

check_tidy() { /usr/bin/python3 tests/tidy/tidy.py; }

# Every public header compiles on its own, with what its module may use and nothing else.
check_headers() { ./dev build release all_verify_interface_header_sets; }

check_clang_tidy() {
  ./dev build release help >/dev/null || return 1  # only configures: compile_commands.json
  sources '*.cpp' | grep -zE '^./(src|apps)/' | grep -zvE '/(tests|testing)/' |
    xargs -0 -r -n 1 -P "$(nproc)" clang-tidy-19 --quiet -p build/release --extra-arg=-Wno-unknown-warning-option 2>/dev/null
}

parts=("$@")
[[ ${#parts[@]} -gt 0 ]] || parts=(format shell python tidy headers clang-tidy)
failed=0
for part in "${parts[@]}"; do
  if ! declare -F "check_${part//-/_}" >/dev/null; then
    echo "lint: no such part: $part (format, shell, python, tidy, headers, clang-tidy)" >&2
    exit 2
  fi
  if "check_${part//-/_}"; then
    echo "ok $part"
  else
    echo "FAILED $part"
    failed=1
  fi
done
exit $failed
