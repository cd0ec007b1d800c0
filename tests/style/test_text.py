# SPDX-License-Identifier: Apache-2.0
"""What every text file of the tree must and must not hold."""
import re
import shutil
import subprocess

CODE = (".c", ".h", ".cc", ".def")
SCRIPTS = (".py", ".mk", ".m4", ".ac", ".am", ".sh")
LINE_MAX = {".c": 130, ".h": 130, ".cc": 130, ".py": 120}

FORBIDDEN = [
    (re.compile(r"/(work|root)/"), "a path of somebody's machine"),
    (re.compile(r"\b(TODO|FIXME|XXX|HACK)\b"), "an open end; write an issue"),
]
CELLS = "tests/cells/"  # what a user types: line numbers count there
THIS = "tests/style/test_text.py"
MADE = ("build", "autom4te.cache", "aclocal.m4", "configure~", "config.h.in", "Makefile.in")


def tracked(root):
    """Files of the tree as git knows them; of an unpacked archive, all that was not built."""
    if shutil.which("git") and (root / ".git").exists():
        listing = ["git", "ls-files", "-co", "--exclude-standard"]
        names = subprocess.run(listing, cwd=root, text=True, capture_output=True, check=True).stdout.split("\n")
    else:
        names = [str(p.relative_to(root)) for p in sorted(root.rglob("*"))]
        names = [n for n in names if not n.startswith(MADE) and n != "configure" and "__pycache__" not in n]
    for name in names:
        path = root / name
        if name and path.is_file() and path.suffix not in (".png", ".ipynb", ".svg") and name not in (THIS, "COPYING"):
            yield name, path.read_text()


def test_every_source_names_its_licence(root):
    missing = [name for name, text in tracked(root)
               if name.endswith(CODE + SCRIPTS) and not name.startswith(CELLS) and "SPDX-License-Identifier: Apache-2.0" not in text[:300]]
    assert not missing, missing


def test_every_source_opens_with_its_idea(root):
    """Headers say what callers get; the file behind one begins with how that is done."""
    rooms = ("kernel/", "compiler/", "runtime/", "emulator/", "common/")
    missing = [name for name, text in tracked(root)
               if name.startswith(rooms) and name.endswith((".c", ".cc")) and not text.split("\n", 1)[1].lstrip("\n").startswith("/*")]
    assert not missing, missing


def test_no_forbidden_words(root):
    found = [f"{name}:{text[:m.start()].count(chr(10)) + 1}: {m.group(0)!r}: {why}"
             for name, text in tracked(root) for pattern, why in FORBIDDEN for m in pattern.finditer(text)]
    assert not found, "\n".join(found)


def test_lines_are_short_indented_by_tabs_and_end_cleanly(root):
    bad = []
    for name, text in tracked(root):
        limit = LINE_MAX.get("." + name.rsplit(".", 1)[-1], 10000)
        if text and not text.endswith("\n"):
            bad.append(f"{name}: no newline at the end")
        for number, line in enumerate(text.split("\n"), 1):
            # A text in quotes, PTX for example, need not be broken.
            if len(line.expandtabs(8)) > limit + 10 * ('"' in line):
                bad.append(f"{name}:{number}: longer than {limit} columns")
            if line != line.rstrip():
                bad.append(f"{name}:{number}: blank at the end")
            if name.endswith((".c", ".h", ".cc")) and re.match(r"^ {8}", line):
                bad.append(f"{name}:{number}: indented by blanks")
    assert not bad, "\n".join(bad[:60])
