# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's own driver library on a machine that has no GPU. `./bootstrap debian-driver` runs these tests; what they need is not
free software and comes from Debian, so they are no part of `./bootstrap test`."""
import os
import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def fetch(root):
    return root / "tests" / "debian-driver" / "fetch"


@pytest.fixture(scope="session")
def driver(root, fetch):
    """The folder with its libcuda.so.1. CGPU_DEBIAN_DRIVER names the one that it is fetched into, or was."""
    folder = os.environ.get("CGPU_DEBIAN_DRIVER", root / "build" / "debian-driver")
    ran = subprocess.run([fetch, folder], text=True, capture_output=True)
    if ran.returncode:
        pytest.fail(ran.stderr)
    return Path(ran.stdout.strip())
