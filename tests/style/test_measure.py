# SPDX-License-Identifier: Apache-2.0
"""Lengths and names: what a reader has to hold in mind at once."""
import json
import re
import subprocess

import pytest

from build_flags import FOLDERS, build_folder
from test_circles import objects

FILE_LINES_MAX = 1000
FUNCTION_LINES_MAX = 100
PREFIX_SHARE_MIN = 0.75

# Sources in a folder.
ROOM_FILES_MAX = 32
# Variables that change and belong to no struct: none may come.
MUTABLE_MAX = {"common": 5, "compiler": 94, "emulator": 48, "kernel": 13, "runtime": 72}
MUTABLE = re.compile(r"^\S+ .{7} \.t?(?:bss|data)(?!\.rel\.ro)\S*\t\S+ +(?:\.hidden )?([^\s.]\S*)$", re.M)

# Dispatch: one switch or table whose rows say all there is to say.
DISPATCH = set()


def sources(root, *suffixes):
    return [p for folder in FOLDERS for p in sorted((root / folder).rglob("*"))
            if p.suffix in suffixes and p.is_file()]


def functions(root, files):
    """ctags' rows for function definitions: name, path, line, end, and file: True where static."""
    out = subprocess.run(
        ["ctags", "--output-format=json", "--fields=+neZf", "--languages=C,C++", "--kinds-C=f", "--kinds-C++=f",
         "-o", "-", *[str(p.relative_to(root)) for p in files]],
        cwd=root, text=True, capture_output=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def test_file_lengths(root):
    lengths = {p: len(p.read_text().splitlines()) for p in sources(root, ".c", ".h", ".cc", ".def")}
    long = [f"{p.relative_to(root)}: {n} lines" for p, n in lengths.items() if n > FILE_LINES_MAX]
    assert lengths and not long, long


def test_function_lengths(root):
    rows = functions(root, sources(root, ".c", ".cc"))
    long = [f"{r['path']}:{r['line']} {r['name']}: {r['end'] - r['line'] + 1} lines" for r in rows
            if "end" in r and r["end"] - r["line"] + 1 > FUNCTION_LINES_MAX and r["name"] not in DISPATCH]
    assert rows and not long, long


def test_functions_are_named_after_their_file(root):
    """External functions begin with the file's stem, or with the struct's name that the stem ends in or begins with."""
    rows = [r for r in functions(root, sources(root, ".c")) if not r.get("file") and r["name"] != "main"
            and not r["name"].isupper()]  # a macro that makes functions
    by_folder = {}
    for r in rows:
        stem = r["path"].rsplit("/", 1)[1][:-2].replace("-", "_")
        words = [stem] + ["_".join(stem.split("_")[:n]) for n in range(1, len(stem.split("_")))] \
            + ["_".join(stem.split("_")[-n:]) for n in range(1, len(stem.split("_")))]
        # what CUDA and the C library name, our names must follow
        given = r["name"].startswith(("cu", "__cuda", "cgpu_")) or r["path"] == "runtime/interpose/malloc.c"
        good = given or any(r["name"].startswith(w) for w in words)
        by_folder.setdefault(r["path"].split("/")[0], []).append((good, f"{r['path']}:{r['line']} {r['name']}"))
    for folder, found in by_folder.items():
        share = sum(good for good, _ in found) / len(found)
        assert share >= PREFIX_SHARE_MIN, f"{folder}: {share:.0%}, e.g. {[n for good, n in found if not good][:10]}"


def test_rooms_are_small(root):
    rooms = {}
    for path in sources(root, ".c", ".h", ".cc", ".hh", ".def"):
        rooms.setdefault(str(path.parent.relative_to(root)), []).append(path.name)
    large = {room: len(names) for room, names in rooms.items()
             if len(names) > ROOM_FILES_MAX and "prelude" not in room}
    assert len(rooms) > 60 and not large, large


@pytest.mark.parametrize("program", FOLDERS)
def test_few_variables_of_files_change(root, program):
    """Of files of several objects, such as a copy for each instruction set, the first counts."""
    paths = [objects_of[0] for objects_of in objects(root, build_folder(root), program).values()]
    listing = subprocess.run(["objdump", "-t", *paths], text=True, capture_output=True, check=True).stdout
    names = MUTABLE.findall(listing)
    assert 0 < len(names) <= MUTABLE_MAX[program], f"{len(names)}: {sorted(names)}"
