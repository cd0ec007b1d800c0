# SPDX-License-Identifier: Apache-2.0
"""clang sees no warning in any C file; gcc's are errors in the sanitizer build."""
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from build_flags import compile_flags

WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wmissing-prototypes", "-Wstrict-prototypes",
            "-Wno-missing-field-initializers"]


def test_clang_sees_no_warnings(root):
    clang = next(filter(None, (shutil.which(f"clang-{v}") for v in (19, 18, 20, 17, 16))), None)
    if not clang:
        pytest.fail("no clang-16 to clang-20")

    def compile_one(item):
        name, flags = item
        return subprocess.run([clang, "-std=gnu17", *WARNINGS, "-fsyntax-only", *flags, str(root / name)],
                              text=True, capture_output=True)

    with ThreadPoolExecutor(2) as pool:
        bad = [r.stderr for r in pool.map(compile_one, compile_flags(root).items()) if r.returncode or r.stderr]
    assert not bad, "\n".join(bad)
