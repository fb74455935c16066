"""Where things are in this repository: its text files, its modules and what each may include, read from CMakeLists.txt."""
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

SKIPPED_FOLDERS = {"build", ".git", ".cache", "__pycache__", "node_modules", "corpus"}
DATA_FOLDERS = {"golden", "fixtures", "data", "valid", "invalid"}  # input for tests: as wrong as it must be
TEXT_ENDINGS = {".cpp", ".hpp", ".py", ".sh", ".md", ".cmake", ".yaml", ".yml", ".txt", ".json", ".service", ".html", ".css", ".js", ".ts"}
TEXT_NAMES = {"dev", "run", ".gitignore", ".clang-format", ".clang-tidy"}


@dataclass(frozen=True)
class Finding:
    path: str  # from the root
    line: int  # 0: the whole file
    message: str

    def __str__(self):
        return f"{self.path}:{self.line or 1}: {self.message}"


@dataclass
class Source:
    path: str
    text: str

    @property
    def lines(self):
        return self.text.splitlines()

    def inside(self, *folders):
        return any(f"/{folder}/" in f"/{os.path.dirname(self.path)}/" for folder in folders)


@dataclass
class Module:
    name: str
    folder: str  # such as src/control/ports
    uses: set = field(default_factory=set)  # modules named in USES

    @property
    def include(self):
        return f"{self.folder}/include/"


@dataclass
class Tree:
    root: Path
    sources: list
    modules: dict  # by name

    def module_of(self, path):
        """The module with the deepest folder that holds `path`."""
        holding = [m for m in self.modules.values() if path.startswith(m.folder + "/")]
        return max(holding, key=lambda m: len(m.folder), default=None)

    def visible_from(self, module):
        """Names of the modules whose headers `module` may include: itself, those it names, and theirs."""
        seen, left = set(), [module.name]
        while left:
            name = left.pop()
            if name not in seen and name in self.modules:
                seen.add(name)
                left += self.modules[name].uses
        return seen

    def code(self, *endings):
        return [s for s in self.sources if s.path.endswith(endings or (".cpp", ".hpp"))]


def read_sources(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
        if DATA_FOLDERS & set(Path(folder).relative_to(root).parts):
            continue
        for name in sorted(names):
            if Path(name).suffix in TEXT_ENDINGS or name in TEXT_NAMES:
                full = Path(folder, name)
                yield Source(str(full.relative_to(root)), full.read_bytes().decode("utf-8", "replace"))


def read_modules(root):
    text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    modules = {}
    for match in re.finditer(r"^fairlead_module\(([^)]*)\)", text, re.M):
        words = match.group(1).split()
        lists = {"USES": [], "LIBS": [], "DIR": []}
        kind = None
        for word in words[1:]:
            if word in lists:
                kind = word
            else:
                lists[kind].append(word)
        folder = "src/" + (lists["DIR"] or [words[0]])[0]
        if (root / folder).is_dir():
            uses = {word.removeprefix("fairlead_") for word in lists["USES"] if word.startswith("fairlead_")}
            modules[words[0]] = Module(words[0], folder, uses)
    return modules


def read_tree(root):
    root = Path(root)
    return Tree(root, list(read_sources(root)), read_modules(root))
