# SPDX-License-Identifier: Apache-2.0
"""Each header compiles alone: whoever includes it needs nothing before it."""
import subprocess
from concurrent.futures import ThreadPoolExecutor

from build_flags import build_flags

# Text that the compiler puts in front of each cell: it is no header of the program's own.
CELL_TEXT = "compiler/prelude/"


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
