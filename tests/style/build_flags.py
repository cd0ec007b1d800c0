# SPDX-License-Identifier: Apache-2.0
"""How the build folder compiles each C file."""
import os
import pathlib
import re
import shlex
import subprocess

import pytest

FOLDERS = ("common", "kernel", "compiler", "runtime", "emulator")
# Bitcode, which clang compiles for the plug-in; what stands for runtime/cuda in a build without CUDA.
OTHERWISE = ("emulator/hot/hot-lanes.c", "runtime/cuda/device-absent.c")
COMMAND = re.compile(r"^(?:\S*ccache )?\S*gcc (.*) -MT .* `?test -f '([^']+\.c)'")


def build_folder(root):
    build = pathlib.Path(os.environ.get("CGPU_BUILD_TREE", root / "build" / "tree"))
    if not (build / "Makefile").exists():
        pytest.fail(f"no Makefile in {build}: run ./bootstrap build, or set CGPU_BUILD_TREE")
    return build


def compile_flags(root):
    """{file: its -I, -isystem and -D options}, as make would run them; of CGPU_BUILD_TREE or build/tree."""
    build = build_folder(root)
    files = [str(p.relative_to(root)) for f in FOLDERS for p in sorted((root / f).rglob("*.c"))]
    files = [name for name in files if name not in OTHERWISE]
    changed = [word for name in files for word in ("-W", name)]
    plan = subprocess.run(["make", "-n", "V=1", "-C", build, *changed, "all-am"], text=True, capture_output=True)
    found = {}
    for line in plan.stdout.splitlines():
        match = COMMAND.match(line)
        if match and match.group(2) in files:
            words = shlex.split(match.group(1))
            found[match.group(2)] = ["-I", str(root), "-I", str(build)] + [
                w for i, w in enumerate(words) if w.startswith(("-I/", "-D", "-isystem")) or words[i - 1] == "-isystem"]
    missing = sorted(set(files) - set(found))
    assert not missing, f"make does not compile {missing}: {plan.stderr[-500:]}"
    return found
