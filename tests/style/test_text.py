# SPDX-License-Identifier: Apache-2.0
"""What every text file of the tree must and must not hold."""
import pathlib
import re
import shutil
import subprocess
import sys

CODE = (".c", ".h", ".cc", ".def")
SCRIPTS = (".py", ".mk", ".m4", ".ac", ".am", ".sh")
C_SOURCES = (".c", ".h", ".cc", ".hh")
LINE_MAX = {**dict.fromkeys(C_SOURCES, 100), ".py": 120}

FORBIDDEN = [
    (re.compile(r"/(work|root)/"), "a path of somebody's machine"),
    (re.compile(r"\b(TODO|FIXME|XXX|HACK)\b"), "an open end; write an issue"),
]
CELLS = "tests/cells/"  # what a user types: line numbers count there
THIS = "tests/style/test_text.py"
MADE = ("build", "autom4te.cache", "aclocal.m4", "configure~", "config.h.in", "Makefile.in")


def tracked_names(root):
    """Files of the tree as git knows them; of an unpacked archive, all that was not built."""
    if shutil.which("git") and (root / ".git").exists():
        listing = ["git", "ls-files", "-co", "--exclude-standard"]
        names = subprocess.run(listing, cwd=root, text=True, capture_output=True, check=True).stdout.split("\n")
    else:
        names = [str(p.relative_to(root)) for p in sorted(root.rglob("*"))]
        names = [n for n in names if not n.startswith(MADE) and n != "configure" and "__pycache__" not in n]
    return [name for name in names if name and (root / name).is_file()]


def tracked(root):
    """Names and texts, of files that have one."""
    for name in tracked_names(root):
        if not name.endswith((".png", ".ipynb", ".svg")) and name not in (THIS, "COPYING"):
            yield name, (root / name).read_text()


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


def test_c_is_formatted_by_clang_format(root):
    """As .clang-format says, the one of the folder or the next above it."""
    names = [name for name in tracked_names(root) if name.endswith(C_SOURCES)]
    program = pathlib.Path(sys.executable).with_name("clang-format")
    done = subprocess.run([program, "--dry-run", "-Werror", *names], cwd=root, text=True, capture_output=True)
    assert len(names) > 1000 and done.returncode == 0, done.stderr[:3000]


def test_stars_of_comments_have_a_blank(root):
    """clang-format takes it away where it breaks a line of a comment with a table."""
    bad = [f"{name}: {m.group(0).strip()}" for name, text in tracked(root)
           if name.endswith(C_SOURCES) and not name.startswith(CELLS)
           for comment in re.findall(r"/\*.*?\*/", text, re.S) for m in re.finditer(r"\n\t* \*[\w(`].*", comment)]
    assert not bad, "\n".join(bad)


def test_lines_are_short_and_end_cleanly(root):
    bad = []
    for name, text in tracked(root):
        suffix = "." + name.rsplit(".", 1)[-1]
        limit = 10000 if name.startswith(CELLS) else LINE_MAX.get(suffix, 10000)
        if text and not text.endswith("\n"):
            bad.append(f"{name}: no newline at the end")
        for number, line in enumerate(text.split("\n"), 1):
            # A cell of a test in quotes need not be broken.
            if len(line.expandtabs(8)) > limit + 10 * (suffix == ".py" and '"' in line):
                bad.append(f"{name}:{number}: longer than {limit} columns")
            if line != line.rstrip():
                bad.append(f"{name}:{number}: blank at the end")
    assert not bad, "\n".join(bad[:60])
