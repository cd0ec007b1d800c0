# SPDX-License-Identifier: Apache-2.0
"""A fiftieth of the soak, so that it is known to work when somebody runs all of it by hand."""
import subprocess
import sys


def test_a_fiftieth_of_a_day(root, prefix):
    run = subprocess.run([sys.executable, root / "tests" / "soak" / "soak", "--scale", "0.02", "--seed", "1", "--prefix", prefix],
                         text=True, capture_output=True)
    assert run.returncode == 0 and "Nothing grew beyond its bound, and nothing is left." in run.stdout, run.stdout + run.stderr
    rows = [line for line in run.stdout.splitlines() if line.startswith("| ") and "cgpu-kernel" not in line]
    assert len(rows) == 9 and rows[1].startswith("| 400 cells `n++` |"), run.stdout
