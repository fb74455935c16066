#!/usr/bin/env python3
"""run_tests.py [--quick | NAME]: builds and runs the tests; the last line sums up every test case.

Everything is registered with CTest, in one build folder per kind of build. CTest's own count is of programs; the cases
inside are read from what GoogleTest and unittest print.
"""
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

from tests.slurm.harness import lacking  # noqa: E402 (found through ROOT)

JOBS = str(os.cpu_count() or 2)
NUMBERS = {  # what a summary line means: (pattern, passed, failed, skipped as groups)
    "gtest_passed": re.compile(r"^\[  PASSED  \] (\d+) test", re.M),
    "gtest_failed": re.compile(r"^\[  FAILED  \] (\d+) test", re.M),
    "gtest_skipped": re.compile(r"^\[  SKIPPED \] (\d+) test", re.M),
    "unittest_ran": re.compile(r"^Ran (\d+) test", re.M),
    "unittest_bad": re.compile(r"(?:failures|errors|unexpected successes)=(\d+)"),
    "unittest_skipped": re.compile(r"skipped=(\d+)"),
}


class Tally:
    """Cases passed, failed, skipped."""

    def __init__(self, passed=0, failed=0, skipped=0):
        self.passed, self.failed, self.skipped = passed, failed, skipped

    def __add__(self, other):
        return Tally(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self):
        text = f"{self.passed} passed, {self.failed} failed"
        return text + (f", {self.skipped} skipped" if self.skipped else "")


def count_cases(output):
    """The cases that a test program's output tells of; one case when it tells of none."""
    number = {key: sum(map(int, pattern.findall(output))) for key, pattern in NUMBERS.items()}
    if NUMBERS["unittest_ran"].search(output):
        # unittest's last line, the one with OK or FAILED, has the rest.
        last = [line for line in output.splitlines() if re.match(r"(OK|FAILED)( \(.*\))?$", line)][-1:]
        bad = sum(map(int, NUMBERS["unittest_bad"].findall(last[0]))) if last else 0
        skipped = sum(map(int, NUMBERS["unittest_skipped"].findall(last[0]))) if last else 0
        return Tally(number["unittest_ran"] - bad - skipped, bad, skipped)
    if NUMBERS["gtest_passed"].search(output):
        return Tally(number["gtest_passed"], number["gtest_failed"], number["gtest_skipped"])
    return None


def tally_program(case):
    """One <testcase> of CTest's JUnit file."""
    status = case.get("status")
    skipped = case.find("skipped")
    if status == "disabled" or (skipped is not None and skipped.get("message", "").startswith("SKIP_")):
        return Tally(skipped=1)
    if status == "notrun":
        return Tally(failed=1)  # a program that is not there
    tally = count_cases(case.findtext("system-out") or "")
    if status == "fail" or case.find("failure") is not None:
        tally = tally or Tally()
        return tally if tally.failed else tally + Tally(failed=1)  # it crashed or timed out after its last case
    return tally or Tally(passed=1)


def run(*command):
    return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=False).returncode


def build(kind, *targets):
    """Nothing when it built; a failed case when not."""
    return None if run("./dev", "build", kind, *targets) == 0 else Tally(failed=1)


def ctest(kind, *selection, jobs=JOBS):
    folder = os.path.join(ROOT, "build", kind)
    report = os.path.join(folder, "ctest.xml")
    if os.path.exists(report):
        os.remove(report)
    run("ctest", "--test-dir", folder, *selection, "-j", jobs, "--output-on-failure", "--no-tests=error",
        "--output-junit", report, "--test-output-size-passed", "4000000", "--test-output-size-failed", "4000000")
    if not os.path.exists(report):
        return Tally(failed=1)
    cases = ET.parse(report).getroot().iter("testcase")
    total = sum((tally_program(case) for case in cases), Tally())
    return total if total.passed + total.failed + total.skipped else Tally(failed=1)


# What runs under the sanitizers: every module but those whose tests start processes by the dozen (engine, api; `./dev build asan`
# builds all); under the thread sanitizer those that have threads.
SANITIZED = {
    "asan": ["base", "obs", "model", "policy", "ledger", "audit", "handoff", "codec", "config", "auth", "control", "store"],
    "tsan": ["obs", "control", "store", "net"],
}
LINT = ["format", "shell", "python", "tidy", "headers"]  # clang-tidy takes as long as a build: `./dev lint` has it


def lint():
    done = subprocess.run(["./dev", "lint", *LINT], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, end="", flush=True)
    lines = done.stdout.splitlines()
    tally = Tally(sum(line.startswith("ok ") for line in lines), sum(line.startswith("FAILED ") for line in lines))
    return tally if tally.failed or done.returncode == 0 else tally + Tally(failed=1)


def sanitized(kind):
    modules = SANITIZED[kind]
    return build(kind, *(f"{module}_tests" for module in modules)) or ctest(kind, "-R", rf"^unit\.({'|'.join(modules)})$")


def slurm(test):
    """The roots of the releases that this Debian does not have are made first: they take longer than a test may."""
    return Tally(failed=1) if run("scripts/slurm_cluster.py", "root") else ctest("release", "-R", rf"^slurm\.{test}$", jobs="1")


def on_slurm(test):
    missing = lacking()
    if not missing:
        return slurm(test)
    print(f"{'FAILED' if os.environ.get('CI') else 'SKIPPED'}: nothing is tried on a real Slurm: {missing}", flush=True)
    return Tally(failed=1) if os.environ.get("CI") else Tally(skipped=1)


def quick():
    return [("unit and property tests", lambda: build("dev", "unit_tests") or ctest("dev", "-L", "unit"))]


def named(name):
    if name in dict(everything()):
        return [step for step in everything() if step[0] in ("release build", name)]
    module = name.removeprefix("unit.")
    if os.path.isdir(os.path.join(ROOT, "src", module, "tests")):
        return [(name, lambda: build("dev", f"{module}_tests") or ctest("dev", "-R", rf"^unit\.{re.escape(module)}$"))]
    return [(name, lambda: build("release", "all") or ctest("release", "-R", name))]


def everything():
    return [
        ("release build", lambda: build("release", "all") or Tally(passed=1)),
        ("unit and property tests", lambda: ctest("release", "-L", "unit")),
        ("lint", lint),
        ("end-to-end tests and tour", lambda: ctest("release", "-L", "e2e", jobs="2")),
        ("slurm.cluster", lambda: slurm("test_cluster")),
        ("slurm.engine", lambda: on_slurm("test_engine")),
        ("slurm.daemon", lambda: on_slurm("test_daemon")),
        ("short chaos", lambda: ctest("release", "-L", "chaos", jobs="1")),
        ("address and undefined sanitizers", lambda: sanitized("asan")),
        ("thread sanitizer", lambda: sanitized("tsan")),
        ("fuzz smoke", lambda: build("fuzz", "fuzz_programs") or ctest("fuzz", "-L", "fuzz")),
    ]


def main(arguments):
    if len(arguments) > 1 or (arguments and arguments[0].startswith("-") and arguments[0] != "--quick"):
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    steps = quick() if arguments == ["--quick"] else named(arguments[0]) if arguments else everything()
    total, lines = Tally(), []
    for name, step in steps:
        print(f"== {name}", flush=True)
        start = time.monotonic()
        tally = step()
        total += tally
        lines.append(f"{name:<34} {time.monotonic() - start:6.0f} s  {tally}")
    print("\n" + "\n".join(lines) + "\n")
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
