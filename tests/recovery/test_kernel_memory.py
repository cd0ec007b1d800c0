# SPDX-License-Identifier: Apache-2.0
"""The kernel process itself runs out of memory: what it cannot do is an error, and the session goes on."""
import resource

import psutil
import pytest

BIG = 30 << 20


@pytest.fixture(scope="module")
def session(start_kernel):
    s = start_kernel()
    s.run("#include <stdlib.h>\n#include <string.h>\nint kept = 5;\nchar *block = malloc(40 << 20);\n"
          "memset(block, 1, 40 << 20);").ok()
    return s


@pytest.fixture
def bounded(session):
    """bounded(bytes) -> the kernel process gets so much more address space and no more."""
    pid = session.pid

    def bound(more):
        used = psutil.Process(pid).memory_info().vms
        resource.prlimit(pid, resource.RLIMIT_AS, (used + more, resource.RLIM_INFINITY))

    yield bound
    resource.prlimit(pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert session.run("kept").ok().text == "5"
    assert session.pid == pid


@pytest.mark.parametrize("more", [1 << 20, BIG // 2, 2 * BIG, 4 * BIG])
def test_a_cell_that_is_too_large(session, bounded, more):
    bounded(more)
    result = session.run('const char *text = "' + "x" * BIG + '";')
    assert result.status == "error" and "memory" in result.evalue, result.shown


@pytest.mark.parametrize("more", [1 << 20, 8 << 20])
def test_a_commit_that_is_too_large(session, bounded, more):
    bounded(more)
    result = session.run("kept = 6;\nfor (int i = 0; i < 40 << 20; i++)\n\tblock[i]++;")
    assert result.status == "error" and "memory" in result.evalue and "rolled back" in result.traceback, result.shown


@pytest.mark.parametrize("more", [1 << 20, 8 << 20])
def test_output_of_any_size(session, bounded, more):
    bounded(more)
    result = session.run('#include <stdio.h>\nfor (int i = 0; i < 300000; i++)\n\tprintf("%d some words\\n", i);').ok()
    assert result.stdout.startswith("0 some words\n1 some words\n")
