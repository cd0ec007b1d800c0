# SPDX-License-Identifier: Apache-2.0
"""Fixtures for tests that drive the installed kernel as a front end does: through jupyter_client's real KernelManager.

CGPU_PREFIX names the prefix that cgpu is installed in. A test waits for events with a deadline, never for time to pass.

    kernel        a session for the whole module; what a test leaves in it, the next test finds
    fresh_kernel  a session of its own for one test

After each module every process that a kernel of ours started must be gone; they are found by an environment variable
that each of them inherits.
"""
import os
import pathlib
import shutil
import sys
import uuid

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "style")]
import cuda_code  # noqa: E402
from session import Session, marked_processes, wait_until  # noqa: E402

ROOT = HERE.parent


NEED_CUDA = {"cuda", "debian-driver", "driver", "gpu", "programs"}  # folders; in others, tests are marked one by one
NEED_EMULATED = {"start_on_gpu", "inject_cell", "nvcc"}  # fixtures of tests that are marked `emulated`


def pytest_collection_modifyitems(items):
    """A case whose parameters hold CUDA code needs CUDA, too. Files that take long come first, so that no processor has
    nothing to do at the end while one of them goes on."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
    for item in items:
        if NEED_EMULATED.intersection(item.fixturenames):
            item.add_marker(pytest.mark.emulated)
        params = repr(item.callspec.params) if hasattr(item, "callspec") else ""
        if item.path.relative_to(HERE).parts[0] in NEED_CUDA or cuda_code.CODE.search(params):
            item.add_marker(pytest.mark.cuda)


@pytest.fixture(scope="session")
def root():
    """The source tree."""
    return ROOT


@pytest.fixture(scope="session")
def prefix():
    """Where cgpu is installed."""
    folder = pathlib.Path(os.environ.get("CGPU_PREFIX", ROOT / "build" / "venv"))
    if not (folder / "bin" / "cgpu-kernel").exists():
        pytest.fail(f"no bin/cgpu-kernel in {folder}: run ./bootstrap install, or set CGPU_PREFIX")
    return folder


@pytest.fixture(scope="module")
def mark():
    """Value of CGPU_TEST_MARK in every process of this module's kernels."""
    value = uuid.uuid4().hex
    yield value
    left = wait_until(lambda: not marked_processes(value))
    assert left, f"processes outlived their kernel: {marked_processes(value)}"


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """What the compilers of all sessions keep, as those of a user share it: the precompiled headers, first of all. Of all
    processes that run tests at the same time, too."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cache"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def start_kernel(prefix, mark, cache, tmp_path_factory):
    """start_kernel(**env) -> Session; all are shut down at the end of the module. None: not in the environment."""
    sessions = []

    def start(transport="tcp", cwd=None, kernelspec="cgpu", runtime=None, **env):
        home = tmp_path_factory.mktemp("session")
        session = Session(prefix, cwd or home, transport, {
            "CGPU_TEST_MARK": mark, "HOME": str(home), "JUPYTER_DATA_DIR": str(home / "jupyter"),
            "IPYTHONDIR": str(home / "ipython"), "XDG_RUNTIME_DIR": str(home), "XDG_CACHE_HOME": str(cache), **env},
                          kernelspec, runtime)
        sessions.append(session)
        return session

    yield start
    for session in sessions:
        session.close()


@pytest.fixture(scope="module")
def kernel(start_kernel):
    return start_kernel()


@pytest.fixture
def fresh_kernel(start_kernel):
    session = start_kernel()
    yield session
    session.close()


@pytest.fixture(scope="session")
def nvcc(prefix):
    """The one that the kernel takes: a toolkit's that the environment names, else that of the wheels, else any."""
    folders = [os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH")]
    folders += [*map(str, prefix.glob("lib/python3*/site-packages/nvidia/cu13")), "/usr/local/cuda"]
    found = shutil.which("nvcc", path=os.pathsep.join([f"{f}/bin" for f in folders if f] + [os.environ["PATH"]]))
    if not found:
        pytest.fail("no nvcc: run ./bootstrap build, or name a CUDA 13 toolkit in CUDA_HOME")
    return found
