# SPDX-License-Identifier: Apache-2.0
"""Each header compiles alone: whoever includes it needs nothing before it."""
import os
import pathlib
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

# Text that the compiler puts in front of each cell: it is no header of the program's own.
CELL_TEXT = "compiler/prelude/"


def build_flags(root):
    """-I and -isystem options as configure found them, from the build folder's Makefile."""
    build = pathlib.Path(os.environ.get("CGPU_BUILD_TREE", root / "build" / "tree"))
    makefile = build / "Makefile"
    if not makefile.exists():
        pytest.fail(f"no Makefile in {build}: run ./bootstrap build, or set CGPU_BUILD_TREE")
    flags = ["-I", str(root), "-I", str(build)]
    for line in makefile.read_text().splitlines():
        name, _, value = line.partition(" = ")
        if name.endswith(("_CPPFLAGS", "_CFLAGS")) and name.split("_")[0].isupper() and "$" not in value:
            flags += [w for w in shlex.split(value) if w.startswith(("-I", "-D", "-isystem", "/"))]
    return flags


def test_headers_compile_alone(root):
    flags = build_flags(root)

    def compile_one(path):
        name = str(path.relative_to(root))
        return name, subprocess.run(
            ["gcc", "-std=gnu17", "-Wall", "-Wextra", "-fsyntax-only", "-x", "c", *flags, "-"],
            input=f'#include "{name}"\n', text=True, capture_output=True)

    headers = [p for folder in ("common", "kernel", "compiler", "runtime", "emulator")
               for p in sorted((root / folder).rglob("*.h")) if CELL_TEXT not in str(p)]
    assert headers
    with ThreadPoolExecutor(2) as pool:
        bad = [f"{name}:\n{r.stderr}" for name, r in pool.map(compile_one, headers) if r.returncode or r.stderr]
    assert not bad, "\n".join(bad)
