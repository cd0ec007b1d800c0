# SPDX-License-Identifier: Apache-2.0
"""Notebooks that share an emulated device."""
import pytest


@pytest.fixture
def on_one_device(start_kernel, tmp_path):
    """start(name, **environment); who calls it closes the session."""
    def start(name="alone.ipynb", **env):
        return start_kernel(**{"CGPU_SHARE": str(tmp_path / "gpus" / "share"), "CGPU_EMULATED_MEMORY": "256M",
                               "JPY_SESSION_NAME": name, **env})
    return start


@pytest.fixture
def pair(on_one_device, request):
    """Two notebooks; DEVICE_MEMORY of the module is the size of their device."""
    memory = getattr(request.module, "DEVICE_MEMORY", "256M")
    sessions = [on_one_device(name, CGPU_EMULATED_MEMORY=memory, CGPU_UNDO="1M") for name in ("first.ipynb", "second.ipynb")]
    yield sessions
    for session in sessions:
        session.close()
