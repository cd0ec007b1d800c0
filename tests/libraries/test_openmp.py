# SPDX-License-Identifier: Apache-2.0
"""Scenario A23, the half of OpenMP: parallel regions in cells, before and after a fault inside one."""
import os

import pytest

from session import wait_until


@pytest.fixture
def session(fresh_kernel):
    fresh_kernel.run("%cflags -fopenmp").ok()
    return fresh_kernel


SUM = ("double total = 0;\n#pragma omp parallel for reduction(+:total) num_threads(4)\n"
       "for (int i = 1; i <= 1000; i++)\n\ttotal += i;\n")


def test_a23_openmp_parallel_cell(session):
    session.run(SUM).ok()
    assert session.run("total").ok().text == "500500.0"
    r = session.run("#include <omp.h>\nint threads = 0;\n#pragma omp parallel num_threads(3)\n{\n"
                    "\t#pragma omp single\n\tthreads = omp_get_num_threads();\n}").ok()
    assert session.run("threads").ok().text == "3", r.shown


def test_a23_openmp_in_a_function_of_an_earlier_cell(session):
    session.run("long count(int n)\n{\n\tlong hits = 0;\n\t#pragma omp parallel for reduction(+:hits) num_threads(4)\n"
                "\tfor (int i = 0; i < n; i++)\n\t\thits += i % 3 == 0;\n\treturn hits;\n}").ok()
    for n, hits in ((3000, 1000), (30, 10), (3, 1)):
        assert session.run(f"count({n})").ok().text == str(hits)


def test_a23_a_fault_inside_a_parallel_region(session):
    session.run("int *volatile none; double kept = 2.5;\n" + SUM).ok()
    worker = session.worker_pid()
    r = session.run("kept = 7;\n#pragma omp parallel for num_threads(4)\nfor (int i = 0; i < 100; i++)\n"
                    "\tif (i == 99)\n\t\t*none = i;")
    assert r.ename == "SegmentationFault" and "line 5" in r.traceback and r.errors == 1, r.shown
    assert session.run("kept").ok().text == "2.5"
    assert session.run(SUM + "total").ok().text == "500500.0"
    assert session.worker_pid() != worker


def test_a23_memory_of_a_parallel_region_is_session_memory(session):
    """malloc() in a region runs on threads of OpenMP's library."""
    session.run("#include <stdlib.h>\nint *blocks[8];\n#pragma omp parallel for num_threads(4)\n"
                "for (int i = 0; i < 8; i++) {\n\tblocks[i] = malloc(4000);\n\tfor (int k = 0; k < 1000; k++)\n"
                "\t\tblocks[i][k] = i;\n}").ok()
    assert session.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert session.run("int sum = 0;\nfor (int i = 0; i < 8; i++) for (int k = 0; k < 1000; k++) sum += blocks[i][k];\nsum"
                       ).ok().text == "28000"


def test_a23_many_parallel_cells(session):
    session.run(SUM).ok()
    for i in range(50):
        session.run(f"total = 0;\n#pragma omp parallel for reduction(+:total) num_threads(4)\n"
                    f"for (int i = 1; i <= {i}; i++)\n\ttotal += malloc(64) != NULL;\n").ok()
        assert session.run("total").ok().text == f"{i}.0"


def test_a23_no_openmp_without_the_flag(fresh_kernel):
    """As in gcc: the pragma means nothing."""
    r = fresh_kernel.run("int n = 0;\n#pragma omp parallel num_threads(4)\nn++;\nn").ok()
    assert r.text == "1"


def test_a23_off_again(session):
    session.run("%cflags off").ok()
    assert session.run("int n = 0;\n#pragma omp parallel num_threads(4)\nn++;\nn").ok().text == "1"


def test_a23_nothing_is_left_in_shared_memory(session):
    session.run(SUM).ok()
    name = f"/dev/shm/__KMP_REGISTERED_LIB_{session.worker_pid()}_{os.getuid()}"
    assert os.path.exists(name), "OpenMP's library has another name for it: see libraries_on_worker_gone()"
    assert session.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert wait_until(lambda: not os.path.exists(name))
    session.run(SUM).ok()
    name = f"/dev/shm/__KMP_REGISTERED_LIB_{session.worker_pid()}_{os.getuid()}"
    assert os.path.exists(name)
    session.close()
    assert wait_until(lambda: not os.path.exists(name))


def test_loops_with_other_pragmas(fresh_kernel):
    r = fresh_kernel.run("int n = 0;\n#pragma GCC unroll 4\nfor (int i = 0; i < 8; i++)\n\tn += i;\n"
                         "#pragma clang loop vectorize(disable)\nfor (int i = 0; i < 8; i++)\n\tn += i;\nn").ok()
    assert r.text == "56"


def test_a_pragma_of_the_file_stays_one(session):
    session.run("int mine = 3;\n#pragma omp threadprivate(mine)\nint seen = 0;\n"
                "#pragma omp parallel num_threads(2) reduction(+:seen)\nseen += mine;").ok()
    assert session.run("seen").ok().text == "6"
