#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the rooms of the tree, and each source with the first sentence of its opening comment. A header speaks for the
source of its name."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("common", "kernel", "compiler", "runtime", "emulator")


def opening(path):
    comments = re.findall(r"/\*(.*?)\*/", path.read_text(), re.S)
    words = [" ".join(line.strip(" *\t") for line in c.splitlines()).strip() for c in comments[:2] if "SPDX" not in c]
    return re.split(r"(?<=[.]) ", words[0])[0] if words else ""


def has_header(path):
    return any(path.with_suffix(suffix).exists() for suffix in (".h", ".hh"))


def label(path):
    """journal.{c,h} where a header speaks for its source."""
    other = next((s for s in (".c", ".cc") if path.suffix in (".h", ".hh") and path.with_suffix(s).exists()), None)
    return f"{path.stem}.{{{other[1:]},{path.suffix[1:]}}}" if other else path.name


def main():
    for folder in FOLDERS:
        for room in [ROOT / folder, *sorted(p for p in (ROOT / folder).rglob("*") if p.is_dir())]:
            files = sorted(p for p in room.iterdir() if p.suffix in (".c", ".cc", ".h", ".hh", ".def"))
            files = [p for p in files if p.suffix not in (".c", ".cc") or not has_header(p)]
            if not files:
                continue
            readme = room / "README.md"
            title = readme.read_text().splitlines()[0].lstrip("# ") if readme.exists() else str(room.relative_to(ROOT)) + "/"
            print(f"\n{room.relative_to(ROOT)}/    {title}")
            for path in files:
                print(f"  {label(path):28} {opening(path)}")


main()
