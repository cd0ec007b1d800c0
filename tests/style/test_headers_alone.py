# SPDX-License-Identifier: Apache-2.0
"""Each header compiles alone: whoever includes it needs nothing before it."""
import subprocess
from concurrent.futures import ThreadPoolExecutor

from build_flags import FOLDERS, compile_flags


def test_headers_compile_alone(root):
    words = {w for flags in compile_flags(root).values() for w in flags}
    include = [f"-I{root}"] + [f"-I{w}" if w[0] == "/" else w for w in sorted(words) if w[0] == "/" or w[:3] == "-I/"]

    def compile_one(path):
        name = str(path.relative_to(root))
        return name, subprocess.run(
            ["gcc", "-std=gnu17", "-Wall", "-Wextra", "-fsyntax-only", "-x", "c", *include, "-"],
            input=f'#include "{name}"\n', text=True, capture_output=True)

    # Headers for cells see what the compiler puts in front of each cell.
    headers = [p for f in FOLDERS for p in sorted((root / f).rglob("*.h")) if "prelude" not in p.parts]
    assert headers
    with ThreadPoolExecutor(2) as pool:
        bad = [f"{name}:\n{r.stderr}" for name, r in pool.map(compile_one, headers) if r.returncode or r.stderr]
    assert not bad, "\n".join(bad)
