# SPDX-License-Identifier: Apache-2.0
"""
Handles of CUDA's libraries after another process has taken the session over, with libraries of the same shape: what a
handle stands for is known to the process that has made it, and to no other.
"""
import subprocess

import pytest

BLAS = """
#include <stdlib.h>
#include <unistd.h>
static void *known[16];
static int n;
int cublasCreate_v2(void **h)
{
    if (!access("refuse", F_OK))
        return 3;
    *h = known[n++] = malloc(64);
    return 0;
}
int cublasDestroy_v2(void *h)
{
    for (int i = 0; i < n; i++)
        if (known[i] == h) {
            known[i] = NULL;
            free(h);
            return 0;
        }
    return 1;
}
int cublasUse(void *h)
{
    for (int i = 0; i < n; i++)
        if (h && known[i] == h)
            return 0;
    return 1;
}
const char *cublasGetStatusName(int status) { return status == 3 ? "CUBLAS_STATUS_ALLOC_FAILED" : "CUBLAS_STATUS_OTHER"; }
"""

BLAS_HEADER = """
typedef void *cublasHandle_t;
int cublasCreate_v2(cublasHandle_t *h);
int cublasDestroy_v2(cublasHandle_t h);
int cublasUse(cublasHandle_t h);
#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
"""

FFT = """
static int plans[16][3], n;
int cufftPlan1d(int *plan, int nx, int type, int batch)
{
    plans[n][0] = nx; plans[n][1] = type; plans[n][2] = batch;
    *plan = 100 + n++;
    return 0;
}
int cufftPlanMany(int *plan, int rank, int *size, int *in, int is, int id, int *on, int os, int od, int type, int batch)
{
    plans[n][0] = size[0]; plans[n][1] = type; plans[n][2] = batch * rank * (is + id + os + od);
    *plan = 100 + n++;
    return 0;
}
int cufftDestroy(int plan) { return plan >= 100 && plan < 100 + n ? 0 : 1; }
int cufftShape(int plan)
{
    int *p = plans[plan - 100];
    return plan < 100 || plan >= 100 + n ? -1 : p[0] * 100 + p[1] * 10 + p[2];
}
"""

FFT_HEADER = """
typedef int cufftHandle;
int cufftPlan1d(cufftHandle *plan, int nx, int type, int batch);
int cufftPlanMany(cufftHandle *plan, int rank, int *size, int *in, int is, int id, int *on, int os, int od, int type,
                  int batch);
int cufftDestroy(cufftHandle plan);
int cufftShape(cufftHandle plan);
"""


@pytest.fixture
def session(start_kernel, tmp_path):
    """A session with a toolkit that has nothing but these two."""
    home = tmp_path / "home"
    (home / "include").mkdir(parents=True)
    (home / "lib").mkdir()
    (home / "include" / "cublas_v2.h").touch()
    (home / "include" / "cufft.h").touch()
    for name, text in ("cublas", BLAS), ("cublasLt", "int cublasLtNothing;"), ("cufft", FFT):
        source = home / f"{name}.c"
        source.write_text(text)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", str(home / "lib" / f"lib{name}.so"), str(source)], check=True)
    session = start_kernel(CUDA_HOME=str(home))
    told = session.run(f"%pkg cublas cufft\n{BLAS_HEADER}{FFT_HEADER}").ok().stdout
    assert "cuBLAS works with NVIDIA's driver on a GPU only" in told and "CUFFT_INTERNAL_ERROR" in told
    yield session
    session.close()


FAULT = "*(volatile int *)0 = 1;"


def test_a_handle_is_usable_after_a_fault(session):
    session.run("cublasHandle_t h, copy; struct { int n; cublasHandle_t h; } box, *heap = malloc(sizeof *heap);\n"
                "cufftHandle p; int plain = 42;\n"
                "cublasCreate(&h); copy = h; cublasCreate(&box.h); cublasCreate(&heap->h); cufftPlan1d(&p, 256, 4, 2);").ok()
    before = session.run("cublasUse(h) + cublasUse(copy) + cublasUse(box.h) + cublasUse(heap->h)").ok()
    assert before.text == "0" and not before.stderr
    fault = session.run("h = NULL; " + FAULT)
    assert ("the cuBLAS handle `h` of cell 2: cublasCreate() makes it again before the next cell, but what was set on it since, "
            "as its stream, is not") in fault.traceback
    assert "the cuFFT handle `p` of cell 2: cufftPlan1d() makes it again" in fault.traceback
    after = session.run("cublasUse(h) + cublasUse(copy) + cublasUse(box.h) + cublasUse(heap->h)").ok()
    assert after.text == "0" and not after.stderr
    assert session.run("cufftShape(p)").ok().text == str(256 * 100 + 4 * 10 + 2)
    assert session.run("copy == h && plain == 42").ok().text == "1"

    # What was destroyed is not made again, and a handle made again is destroyed as any other.
    assert session.run("cublasDestroy(h) + cublasDestroy(box.h)").ok().text == "0"
    fault = session.run(FAULT)
    assert "`h`" not in fault.traceback and "cuFFT handle `p`" in fault.traceback
    assert session.run("cublasUse(heap->h)").ok().text == "0"

    # A cell that fails has made nothing.
    session.run("cublasHandle_t late;").ok()
    assert "handle `late`" not in session.run("cublasCreate(&late); " + FAULT).traceback


def test_what_cannot_be_made_again_is_named(session):
    session.run("cufftHandle many; int size[] = { 64 };\n"
                "cufftPlanMany(&many, 1, size, NULL, 1, 0, NULL, 1, 0, 7, 3);\ncufftHandle *again = &many;").ok()
    assert session.run("cufftShape(many)").ok().text == str(64 * 100 + 7 * 10 + 6)
    assert "the cuFFT handle `many` of cell 2, which line 2 has made: call cufftPlanMany() again" in session.run(FAULT).traceback
    result = session.run("printf(\"%d %d\", many, cufftShape(many));").ok()
    assert result.stdout == "-1 -1" and not result.stderr

    # The place is gone with its function.
    session.run("void local(void) { cublasHandle_t h; cublasCreate(&h); }\nlocal();").ok()
    session.run(FAULT)
    assert "no variable holds it any more" in session.run("1").ok().stderr
    assert "cuBLAS" not in session.run(FAULT).traceback


def test_a_handle_that_is_refused_says_why(session):
    session.run("cublasHandle_t h; int s;\ncublasCreate(&h);").ok()
    session.run("fclose(fopen(\"refuse\", \"w\"));").ok()
    refused = session.run("cublasHandle_t other;\ns = cublasCreate(&other); s").ok()
    assert refused.text == "3"
    assert refused.stderr.startswith("cublasCreate() returned CUBLAS_STATUS_ALLOC_FAILED (3) in line 2: "
                                     "cuBLAS works with NVIDIA's driver")
    session.run(FAULT)
    result = session.run("h == NULL && cublasUse(h)").ok()
    assert result.text == "1"
    assert ("the cuBLAS handle `h` of cell 2 is no handle any more: cublasCreate() returned CUBLAS_STATUS_ALLOC_FAILED"
            in result.stderr)
