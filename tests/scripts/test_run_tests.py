"""The sum that `./dev test` ends with: it must count every case and never call a failure a success."""
import importlib.util
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

SPEC = importlib.util.spec_from_file_location("run_tests", Path(__file__).resolve().parents[2] / "scripts/run_tests.py")
run_tests = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(run_tests)


def program(status, output):
    case = ET.Element("testcase", status=status)
    if status == "fail":
        ET.SubElement(case, "failure")
    ET.SubElement(case, "system-out").text = output
    return str(run_tests.tally_program(case))


class TallyTest(unittest.TestCase):
    def test_googletest(self):
        self.assertEqual(program("run", "[  PASSED  ] 29 tests.\n"), "29 passed, 0 failed")
        self.assertEqual(program("run", "[  PASSED  ] 28 tests.\n[  SKIPPED ] 1 test, listed below:\n[  SKIPPED ] A.b\n"),
                         "28 passed, 0 failed, 1 skipped")
        self.assertEqual(program("fail", "[  PASSED  ] 27 tests.\n[  FAILED  ] 2 tests, listed below:\n[  FAILED  ] A.b\n[  FAILED  ] A.c\n"),
                         "27 passed, 2 failed")

    def test_unittest(self):
        self.assertEqual(program("run", "..\nRan 2 tests in 0.1s\n\nOK\n"), "2 passed, 0 failed")
        self.assertEqual(program("run", "Ran 3 tests in 0.1s\n\nOK (skipped=1)\n"), "2 passed, 0 failed, 1 skipped")
        self.assertEqual(program("fail", "Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=1, skipped=1)\n"), "2 passed, 2 failed, 1 skipped")

    def test_a_program_that_counts_nothing_is_one_case(self):
        self.assertEqual(program("run", "all is well\n"), "1 passed, 0 failed")
        self.assertEqual(program("fail", "Segmentation fault\n"), "0 passed, 1 failed")
        self.assertEqual(program("disabled", ""), "0 passed, 0 failed, 1 skipped")
        self.assertEqual(program("notrun", ""), "0 passed, 1 failed")

    def test_a_crash_after_the_last_case_is_a_failure(self):
        self.assertEqual(program("fail", "[  PASSED  ] 29 tests.\nERROR: LeakSanitizer: detected memory leaks\n"), "29 passed, 1 failed")
        self.assertEqual(program("fail", "Ran 2 tests in 0.1s\n\nOK\n"), "2 passed, 1 failed")


if __name__ == "__main__":
    unittest.main()
