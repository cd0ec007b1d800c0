# SPDX-License-Identifier: Apache-2.0
"""jupyter_client's own tests of its clients, which run a kernel that is called `echo`: this one.

They are in its source archive only, which pip fetches once, beside the venv that runs the tests. Four of them send text
to be run that is no C; those of the threaded client send what the others do, and wait a second each.
"""
import importlib.metadata
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ET

import pytest

from session import DEADLINE

NO_C = ("test_execute_interactive", "test_input_request", "test_output_hook")
OTHERS = "TestThreadedKernelClient"
ANSWERED = {"history", "inspect", "complete", "kernel_info", "comm_info", "shutdown", "shutdown_id"}
CONFTEST = '''
import pytest

pytest_plugins = ["pytest_jupyter", "pytest_jupyter.jupyter_client"]


@pytest.fixture
def echo_kernel_spec(jp_kernel_dir):
    """In place of the kernel of pytest_jupyter."""
    (jp_kernel_dir / "echo").symlink_to({kernelspec!r})


@pytest.fixture(autouse=True)
def setup_environ(jp_environ):
    pass
'''


@pytest.fixture(scope="module")
def archive():
    """jupyter_client's source, of the version that is installed here."""
    version = importlib.metadata.version("jupyter_client")
    folder = pathlib.Path(sys.prefix).parent / "jupyter_client"
    name = f"jupyter_client-{version}.tar.gz"
    if not (folder / name).exists():
        part = folder / f"part-{os.getpid()}"
        done = subprocess.run([sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-deps",
                               "--no-binary", "jupyter_client", "--dest", part, f"jupyter_client=={version}"],
                              text=True, capture_output=True, timeout=2 * DEADLINE)
        assert done.returncode == 0, f"the source of jupyter_client {version} cannot be had: {done.stderr[-300:]}"
        (part / name).rename(folder / name)
        shutil.rmtree(part)
    return folder / name


def test_requests_of_both_clients(archive, prefix, mark, cache, tmp_path):
    with tarfile.open(archive) as tar:
        member = tar.getmember(f"{archive.name.removesuffix('.tar.gz')}/tests/test_client.py")
        tests = tmp_path / "tests"
        tests.mkdir()
        (tests / "test_client.py").write_bytes(tar.extractfile(member).read())
    (tests / "__init__.py").touch()
    kernelspec = str(prefix.resolve() / "share" / "jupyter" / "kernels" / "cgpu")
    (tests / "conftest.py").write_text(CONFTEST.format(kernelspec=kernelspec))
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    leave_out = " and ".join(f"not {name}" for name in (*NO_C, OTHERS))
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:nbval", "-k", leave_out,
                           "--junitxml", "ran.xml", "tests/test_client.py"],
                          cwd=tmp_path, text=True, capture_output=True,
                          env={**os.environ, "CGPU_TEST_MARK": mark, "XDG_CACHE_HOME": str(cache)}, timeout=DEADLINE)
    assert done.returncode == 0, done.stdout + done.stderr
    ran = {}
    for case in ET.parse(tmp_path / "ran.xml").iter("testcase"):
        assert case.find("skipped") is None, case.attrib
        ran.setdefault(case.get("classname").rpartition(".")[2], set()).add(case.get("name").removeprefix("test_"))
    assert ran["TestKernelClient"] >= ANSWERED and ran["TestAsyncKernelClient"] >= ANSWERED | {"is_complete"}, ran
