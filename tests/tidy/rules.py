"""The rules. Each takes the tree and yields findings. A line that must break a call rule says why: `// tidy: allow NAME: why`."""
import re

from .layout import Finding
from .shape import functions, without_comments_and_texts

PURE = ("src/model/", "src/policy/", "src/ledger/", "src/handoff/")


def product(source):
    """Code that ships: not tests, their helpers, benchmarks or fuzz targets."""
    return source.path.startswith(("src/", "apps/")) and not source.inside("tests", "testing")


def in_src(source):
    return source.path.startswith("src/") and product(source)


def cpp_test(source):
    return source.inside("tests") and source.path.endswith("_test.cpp")


def python_test(source):
    return re.search(r"(^|/)test_\w+\.py$", source.path) is not None


# name, what the code must not hold, where, what to do instead
BANNED = [
    ("clock", r"\bsystem_clock\s*::\s*now\b|\bgettimeofday\(|\bstd::time\(",
     lambda s: product(s) and s.path != "src/base/clock.cpp", "take a ClockPort, or `now` as a parameter"),
    ("rand", r"\bs?rand\(", product, "take a seed or a random port"),
    ("getenv", r"\bgetenv\(", lambda s: in_src(s) and not s.path.startswith("src/config/"), "the environment is read by config and apps"),
    ("printf", r"\b[sf]?n?printf\(|\bvs?n?printf\(|\bf?puts\(|\bstd::c(out|err)\b", lambda s: in_src(s), "use fmt, or a Logger"),
    ("regex", r"\bstd::(w?regex|smatch|cmatch)\b", lambda s: s.path.endswith((".cpp", ".hpp")), "write a small parser; std::regex overflows the stack"),
    ("shell", r"(?<!\.)\b(std::)?system\(|\bpopen\(", lambda s: s.path.endswith((".cpp", ".hpp")), "start programs with an argument list, never a shell string"),
    ("sleep", r"\bsleep_(for|until)\(|\bu?sleep\(", lambda s: cpp_test(s) or python_test(s), "wait for a condition with a limit"),
    ("coroutine", r"\bco_(await|yield|return)\b", product, "GCC 12 destroys temporaries twice in co_await"),
    ("throwaway", r"\busing namespace std;", lambda s: s.path.endswith((".cpp", ".hpp")), "name what you use"),
    ("pure", r"#include <(thread|mutex|fstream|iostream|filesystem|random|spdlog/[^>]*|unordered_map|unordered_set)>",
     lambda s: product(s) and s.path.startswith(PURE), "pure modules have no I/O, threads, randomness or unordered order"),
]


def banned_calls(tree):
    for source in tree.code(".cpp", ".hpp", ".py"):
        rules = [(name, re.compile(pattern), advice) for name, pattern, where, advice in BANNED if where(source)]
        if not rules:
            continue
        code = source.lines if source.path.endswith(".py") else without_comments_and_texts(source.text).splitlines()
        for number, (line, whole) in enumerate(zip(code, source.lines), 1):
            for name, pattern, advice in rules:
                if pattern.search(line) and not re.search(rf"tidy: allow {name}: \w+", whole):
                    yield Finding(source.path, number, f"{name}: {advice}")


def sizes(tree):
    for source in tree.code():
        limit = 600 if source.inside("tests", "testing") else 200 if source.path.endswith(".hpp") else 400
        if len(source.lines) > limit and "_data." not in source.path:
            yield Finding(source.path, 0, f"{len(source.lines)} lines, at most {limit}")
        for function in functions(source.text):
            if function.length > 70:
                yield Finding(source.path, function.line, f"a function of {function.length} lines, at most 70")


def readmes(tree):
    for module in tree.modules.values():
        readme = next((s for s in tree.sources if s.path == f"{module.folder}/README.md"), None)
        if readme is None:
            yield Finding(module.folder, 0, "no README.md")
            continue
        for header in tree.code(".hpp"):
            name = header.path.rsplit("/", 1)[-1]
            if header.path.startswith(module.include) and name not in readme.text:
                yield Finding(readme.path, 0, f"does not mention {name}")


INCLUDE = re.compile(r'^\s*#include [<"]([^>"]+)[>"]', re.M)
LIBRARY_OF = {  # libraries that stay behind one module's door
    "sqlite3.h": {"store"}, "spdlog/": {"obs"}, "prometheus/": {"obs"}, "yaml-cpp/": {"codec"},
    "boost/beast": {"net"}, "boost/asio": {"net"}, "curl/": {"net"}, "CLI/": set(), "boost/json": {"codec"},
}


def layers(tree):
    owner = {h.path.removeprefix(m.include): m.name for m in tree.modules.values() for h in tree.code(".hpp") if h.path.startswith(m.include)}
    for source in tree.code():
        module = tree.module_of(source.path)
        if module is None or not product(source):
            continue
        visible = tree.visible_from(module)
        for match in INCLUDE.finditer(source.text):
            target, line = match.group(1), source.text.count("\n", 0, match.start()) + 1
            if target in owner and owner[target] not in visible:
                yield Finding(source.path, line, f"{module.name} may not include {owner[target]}")
            for prefix, allowed in LIBRARY_OF.items():
                if target.startswith(prefix) and module.name not in allowed:
                    yield Finding(source.path, line, f"{module.name} may not include {target}")
                elif target.startswith(prefix) and source.path.startswith(module.include):
                    yield Finding(source.path, line, f"{target} in a public header")


def registered(tree):
    """A test that no build file picks up never runs."""
    folders = {f"{m.folder}/tests" for m in tree.modules.values()}
    builds = {s.path.rsplit("/", 1)[0]: s.text for s in tree.sources if s.path.endswith("/CMakeLists.txt")}
    for source in tree.code(".cpp"):
        folder, name = source.path.rsplit("/", 1)
        if name in builds.get(folder, ""):
            continue
        if re.search(r"^(TEST|TEST_F|TEST_P|RC_GTEST_PROP)\(", source.text, re.M) and folder not in folders and not source.inside("testing"):
            yield Finding(source.path, 0, "a test outside src/MODULE/tests/ is not built")
        if source.path.startswith("fuzz/") and not source.text.startswith("// links: "):
            yield Finding(source.path, 0, "the first line must be `// links: MODULE...`")
        if source.path.startswith("fuzz/") and not source.path.endswith("_fuzz.cpp"):
            yield Finding(source.path, 0, "fuzz targets are named NAME_fuzz.cpp")
    listed = set(re.findall(r"fairlead_python_tests\(\w+ ([^) ]+)[^)]*\)", next((s.text for s in tree.sources if s.path == "tests/CMakeLists.txt"), "")))
    for source in tree.code(".py"):
        if python_test(source) and source.path.rsplit("/", 1)[0] not in listed:
            yield Finding(source.path, 0, "this folder is not named in tests/CMakeLists.txt")


def whitespace(tree):
    for source in tree.sources:
        if source.text and not source.text.endswith("\n"):
            yield Finding(source.path, 0, "no newline at the end")
        if "\ufffd" in source.text:
            yield Finding(source.path, 0, "not UTF-8")
        for number, line in enumerate(source.text.split("\n"), 1):
            if "\t" in line or line != line.rstrip():
                yield Finding(source.path, number, "a tab or white space at the end of the line")


def machine_paths(tree):
    for source in tree.sources:
        if str(tree.root.resolve()) in source.text:
            yield Finding(source.path, 0, "holds the path of this checkout")


def dead_headers(tree):
    included = set()
    for source in tree.code():
        for target in INCLUDE.findall(source.text):
            included.add(target.rsplit("/", 1)[-1])
    for header in tree.code(".hpp"):
        if header.path.rsplit("/", 1)[-1] not in included:
            yield Finding(header.path, 0, "nobody includes this header")
        if "#pragma once" not in header.text:
            yield Finding(header.path, 0, "no #pragma once")


def error_tokens(tree):
    seen = {}
    for source in tree.code(".hpp"):
        for match in re.finditer(r'ErrorCode k\w+\{\s*"([^"]*)"', source.text):
            token, line = match.group(1), source.text.count("\n", 0, match.start()) + 1
            if not re.fullmatch(r"[a-z]+(-[a-z]+)*/[a-z0-9]+(-[a-z0-9]+)*", token):
                yield Finding(source.path, line, f"error token {token}: must be module/what-failed")
            if token in seen:
                yield Finding(source.path, line, f"error token {token} is declared in {seen[token]} too")
            seen.setdefault(token, source.path)


ALL = [banned_calls, sizes, readmes, layers, registered, whitespace, machine_paths, dead_headers, error_tokens]
