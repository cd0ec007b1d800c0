# SPDX-License-Identifier: Apache-2.0
"""The -I, -isystem and -D options that configure found."""
import os
import pathlib
import shlex

import pytest


def build_flags(root):
    """From the Makefile of the build folder, CGPU_BUILD_TREE or build/tree."""
    build = pathlib.Path(os.environ.get("CGPU_BUILD_TREE", root / "build" / "tree"))
    makefile = build / "Makefile"
    if not makefile.exists():
        pytest.fail(f"no Makefile in {build}: run ./bootstrap build, or set CGPU_BUILD_TREE")
    flags = ["-I", str(root), "-I", str(build)]
    for line in makefile.read_text().splitlines():
        name, _, value = line.partition(" = ")
        if name.endswith(("_CPPFLAGS", "_CFLAGS")) and "$" not in value:
            flags += [w for w in shlex.split(value) if w.startswith(("-I", "-D", "-isystem", "/"))]
    return flags
