"""Each rule finds what it is for, and nothing in a tidy tree."""
import tempfile
import unittest
from pathlib import Path

from tests.tidy.shape import functions, without_comments_and_texts
from tests.tidy.tidy import findings

TIDY = {
    "CMakeLists.txt": "fairlead_module(base USES fmt::fmt)\nfairlead_module(policy USES fairlead_base)\n"
                      "fairlead_module(store USES fairlead_base LIBS SQLite::SQLite3)\n",
    "src/base/README.md": "# base\n`text.hpp`\n",
    "src/base/include/fairlead/base/text.hpp": "#pragma once\nint parse();\n",
    "src/base/text.cpp": "#include <fairlead/base/text.hpp>\nint parse() { return 1; }\n",
    "src/base/tests/text_test.cpp": "#include <fairlead/base/text.hpp>\nTEST(Text, parses) { EXPECT_EQ(parse(), 1); }\n",
    "src/policy/README.md": "# policy\n`plan.hpp`\n",
    "src/policy/include/fairlead/policy/plan.hpp": "#pragma once\n#include <fairlead/base/text.hpp>\n",
    "src/policy/plan.cpp": "#include <fairlead/policy/plan.hpp>\n",
    "src/store/README.md": "# store\n",
    "src/store/store.cpp": "#include <sqlite3.h>\n",
}


class TidyTest(unittest.TestCase):
    def found(self, **changes):
        """Messages about a tidy tree with these files changed or added; `/` is `__` and `.` is `_DOT_` in names."""
        files = TIDY | {name.replace("__", "/").replace("_DOT_", "."): text for name, text in changes.items()}
        with tempfile.TemporaryDirectory(prefix="fairlead-tidy-") as folder:
            for name, text in files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text.replace("ROOT", folder), encoding="utf-8")
            return [str(finding) for finding in findings(folder)]

    def assert_one(self, words, **changes):
        found = self.found(**changes)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_a_tidy_tree_has_no_findings(self):
        self.assertEqual(self.found(), [])

    def test_banned_calls(self):
        for words, code in [("clock", "auto t = std::chrono::system_clock::now();"), ("rand", "int x = rand();"),
                            ("getenv", 'auto e = std::getenv("HOME");'), ("printf", 'std::printf("x");'), ("printf", "std::cout << 1;"),
                            ("regex", "std::regex r;"), ("shell", 'std::system("ls");'), ("shell", 'popen("ls", "r");'),
                            ("coroutine", "co_await x;"), ("throwaway", "using namespace std;")]:
            with self.subTest(code=code):
                self.assert_one(words, src__store__store_DOT_cpp=f"// text\n{code}\n")

    def test_calls_in_comments_texts_and_with_a_reason_are_fine(self):
        self.assertEqual(self.found(src__store__store_DOT_cpp='// rand()\nauto text = "rand(";\nint x = rand();  // tidy: allow rand: seeded by the test\n'), [])

    def test_sleep_in_tests(self):
        self.assert_one("sleep", src__base__tests__sleepy_test_DOT_cpp="void f() { std::this_thread::sleep_for(1s); }\n")  # tidy: allow sleep: a text

    def test_threads_and_unordered_order_in_pure_modules(self):
        self.assert_one("pure", src__policy__plan_DOT_cpp="#include <fairlead/policy/plan.hpp>\n#include <unordered_map>\n")

    def test_a_long_function_and_a_long_file(self):
        self.assert_one("71 lines, at most 70", src__store__store_DOT_cpp="int f(int x)\n{\n" + "  x++;\n" * 68 + "}\n")
        self.assert_one("401 lines, at most 400", src__store__store_DOT_cpp="int x;\n" * 401)

    def test_a_module_without_readme_or_with_an_unmentioned_header(self):
        self.assert_one("does not mention plan.hpp", src__policy__README_DOT_md="# policy\n")

    def test_an_include_against_the_layers(self):
        self.assert_one("base may not include policy", src__base__text_DOT_cpp="#include <fairlead/base/text.hpp>\n#include <fairlead/policy/plan.hpp>\n")
        self.assert_one("policy may not include sqlite3.h", src__policy__plan_DOT_cpp="#include <fairlead/policy/plan.hpp>\n#include <sqlite3.h>\n")

    def test_a_test_that_nothing_builds(self):
        self.assert_one("is not built", src__base__deep__tests__a_test_DOT_cpp="TEST(A, b) {}\n")
        self.assert_one("not named in tests/CMakeLists.txt", tests__odd__test_a_DOT_py="import unittest\n")

    def test_white_space(self):
        for text in ("int x; \n", "\tint x;\n", "int x;\r\n", "int x;"):
            with self.subTest(text=text):
                self.assert_one("line" if text.endswith("\n") else "newline", src__store__store_DOT_cpp=text)

    def test_paths_of_this_machine(self):
        self.assert_one("path of this checkout", src__store__README_DOT_md="# store\nROOT/src\n")

    def test_a_header_that_nobody_includes(self):
        self.assert_one("nobody includes", src__store__lost_DOT_hpp="#pragma once\n")

    def test_error_tokens_are_well_formed_and_unique(self):
        head = "#pragma once\ninline constexpr ErrorCode kA{"
        use = {"src__store__store_DOT_cpp": '#include "errors.hpp"\n'}
        self.assert_one("module/what-failed", src__store__errors_DOT_hpp=head + '"Full"};\n', **use)
        self.assert_one("declared in", src__store__errors_DOT_hpp=head + '"store/full"};\ninline constexpr ErrorCode kB{"store/full"};\n', **use)


class ShapeTest(unittest.TestCase):
    def test_functions_are_measured_and_tables_are_not(self):
        text = ("namespace a {\nconstexpr int kTable[] = {\n1,\n2};\nstruct S {\n  int f() const {\n    return 1;\n  }\n};\n"
                "S::S(int x)\n    : x_{x} {\n  if (x) { y(); }\n}\n}  // namespace a\n")
        self.assertEqual([(f.line, f.length) for f in functions(text)][0], (6, 3))
        self.assertTrue(any(f.length >= 2 for f in functions(text)[1:]))
        self.assertEqual(functions("constexpr auto kTable = std::to_array<Row>({\n{1, 2},\n{3, 4},\n});\n" * 2), [])
        self.assertEqual(functions("template <class T = int>\nvoid f() {\n  g();\n}\n")[0].length, 4)

    def test_raw_texts_and_digit_separators_do_not_confuse(self):
        self.assertNotIn("rand", without_comments_and_texts('auto x = R"(rand() " )"; int y = 1\'000; // rand()\n'))
        self.assertIn("1'000", without_comments_and_texts("int y = 1'000 + 2'000;"))


if __name__ == "__main__":
    unittest.main()
