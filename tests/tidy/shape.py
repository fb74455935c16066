"""Just enough C++ to measure functions: comments and texts are blanked, then braces are matched."""
import re
from dataclasses import dataclass

TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.S)


@dataclass(frozen=True)
class Function:
    line: int
    length: int


def without_comments_and_texts(text):
    """The same number of lines, without what the compiler does not run."""
    return TOKENS.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)


def is_container(head):
    """Whether the brace after `head` opens a namespace or type, or starts an initial value; else it is a function."""
    if "(" not in head:
        return True
    before = re.sub(r"template\s*<[^>]*>", "", head.partition("(")[0])
    return re.search(r"(?<!operator)(?<![=!<>])=(?!=)", before) is not None and "[" not in head


def functions(text):
    """Outermost function bodies, from the line of their head to their closing brace."""
    code = without_comments_and_texts(text)
    code = re.sub(r"^[ \t]*#.*(?:\\\n.*)*$", lambda m: re.sub(r"[^\n]", " ", m.group(0)), code, flags=re.M)
    found, head_start, depth, start = [], 0, 0, None
    for at, c in enumerate(code):
        if start is not None:
            depth += (c == "{") - (c == "}")
            if depth == 0:
                found.append(Function(start, code.count("\n", 0, at) + 1 - start + 1))
                start, head_start = None, at + 1
        elif c == "{":
            head = code[head_start:at]
            if is_container(head):
                head_start = at + 1
            else:
                leading = len(head) - len(head.lstrip())
                start, depth = code.count("\n", 0, head_start + leading) + 1, 1
        elif c in ";}":
            head_start = at + 1
    return found
