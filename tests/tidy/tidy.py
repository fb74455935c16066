#!/usr/bin/env python3
"""tidy.py [ROOT]: checks the rules of the house that no compiler knows. One line a finding, exit code 1 when there is one."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.tidy import rules  # noqa: E402
from tests.tidy.layout import read_tree  # noqa: E402


def findings(root):
    tree = read_tree(root)
    return sorted({finding for rule in rules.ALL for finding in rule(tree)}, key=lambda f: (f.path, f.line, f.message))


def main(arguments):
    found = findings(arguments[0] if arguments else Path(__file__).resolve().parents[2])
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
