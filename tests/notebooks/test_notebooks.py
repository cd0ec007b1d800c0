# SPDX-License-Identifier: Apache-2.0
"""Each notebook runs in real Jupyter, with an error exactly where it says that there is one."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.cuda

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook(path, prefix, root, tmp_path, mark):
    run = subprocess.run(
        [sys.executable, root / "notebooks" / "execute.py", path, tmp_path], text=True, capture_output=True,
        env={**os.environ, "JUPYTER_PATH": str(prefix / "share" / "jupyter"), "CGPU_TEST_MARK": mark})
    assert run.returncode == 0, run.stdout + run.stderr
    assert (tmp_path / path.with_suffix(".html").name).exists()
