# SPDX-License-Identifier: Apache-2.0
"""The program for a machine with a GPU is right where it can be checked: on the emulated driver."""
import os
import re
import subprocess


def check_gpu(root, driver):
    build = os.environ.get("CGPU_BUILD_TREE", root / "build" / "tree")
    run = subprocess.run([f"{build}/tests/gpu/check-gpu"], text=True, capture_output=True,
                         env={**os.environ, "CHECK_GPU_DRIVER": str(driver)})
    return run.returncode, run.stdout


def test_every_answer_is_ok_on_the_emulated_driver(root, prefix):
    status, shown = check_gpu(root, prefix / "libexec" / "cgpu" / "libcgpu-emulator.so")
    rows = [line for line in shown.splitlines() if line[:2] in ("ok", "NO", "- ")]
    assert len(rows) == 34, shown
    assert status == 0 and not [row for row in rows if row.startswith("NO")], shown
    # Of small pieces several share what can be mapped.
    scattered = re.findall(r"cuMemAlloc, (\d+) KiB .* error (\d); (\d+) %", shown)
    assert [(size, error, int(part) > 5) for size, error, part in scattered] == [
        ("256", "2", False), ("1024", "2", False), ("2048", "0", True)]
    assert "64 chunks; all 64 MiB in one range, and written: 100 %" in rows[-1]


def test_without_a_driver_nothing_is_claimed(root):
    status, shown = check_gpu(root, "/nonexistent/libcuda.so.1")
    assert status == 77 and shown.startswith("No CUDA driver here, so nothing was measured")
