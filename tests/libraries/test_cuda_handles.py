# SPDX-License-Identifier: Apache-2.0
"""
Handles of CUDA's libraries after another process has taken the session over, with libraries of the same shape: what a
handle stands for is known to the process that has made it, and to no other.
"""
import subprocess

import pytest

pytestmark = pytest.mark.cuda

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
static struct { void *stream, *workspace; int mode, order; } set[16];
static int calls;
static int number(void *h)
{
    for (int i = 0; i < n; i++)
        if (h && known[i] == h)
            return i;
    return 15;
}
int cublasSetStream_v2(void *h, void *stream)
{
    set[number(h)].stream = stream;
    set[number(h)].order = ++calls;
    return 0;
}
int cublasSetMathMode(void *h, int mode) { set[number(h)].mode = mode; return mode < 0 ? 7 : 0; }
int cublasSetWorkspace_v2(void *h, void *p, unsigned long size)
{
    set[number(h)].workspace = size ? p : 0;
    set[number(h)].order = -++calls;
    return 0;
}
void *cublasStreamOf(void *h) { return set[number(h)].stream; }
void *cublasWorkspaceOf(void *h) { return set[number(h)].workspace; }
int cublasModeOf(void *h) { return set[number(h)].mode; }
int cublasOrderOf(void *h) { return set[number(h)].order; }
const char *cublasGetStatusName(int status) { return status == 3 ? "CUBLAS_STATUS_ALLOC_FAILED" : "CUBLAS_STATUS_OTHER"; }
"""

BLAS_HEADER = """
typedef void *cublasHandle_t;
int cublasCreate_v2(cublasHandle_t *h);
int cublasDestroy_v2(cublasHandle_t h);
int cublasUse(cublasHandle_t h);
int cublasSetStream_v2(cublasHandle_t h, cudaStream_t stream);
int cublasSetMathMode(cublasHandle_t h, int mode);
int cublasSetWorkspace_v2(cublasHandle_t h, void *p, size_t size);
cudaStream_t cublasStreamOf(cublasHandle_t h);
void *cublasWorkspaceOf(cublasHandle_t h);
int cublasModeOf(cublasHandle_t h);
int cublasOrderOf(cublasHandle_t h);
#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
"""

FFT = """
static int plans[16][3], n;
static void *streams[16];
int cufftCreate(int *plan) { *plan = 100 + n++; return 0; }
int cufftMakePlan1d(int plan, int nx, int type, int batch, unsigned long *size)
{
    plans[plan - 100][0] = nx; plans[plan - 100][1] = type; plans[plan - 100][2] = batch;
    *size = 64;
    return 0;
}
int cufftMakePlanMany(int plan, int rank, int *size, int *in, int is, int id, int *on, int os, int od, int type,
                      int batch, unsigned long *work)
{
    plans[plan - 100][0] = size[0]; plans[plan - 100][2] = batch;
    *work = 64;
    return 0;
}
int cufftSetStream(int plan, void *stream) { streams[plan - 100] = stream; return 0; }
void *cufftStreamOf(int plan) { return streams[plan - 100]; }
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
int cufftCreate(cufftHandle *plan);
int cufftMakePlan1d(cufftHandle plan, int nx, int type, int batch, size_t *size);
int cufftMakePlanMany(cufftHandle plan, int rank, int *size, int *in, int is, int id, int *on, int os, int od, int type,
                      int batch, size_t *work);
int cufftSetStream(cufftHandle plan, cudaStream_t stream);
cudaStream_t cufftStreamOf(cufftHandle plan);
int cufftDestroy(cufftHandle plan);
int cufftShape(cufftHandle plan);
"""


RAND = """
static struct { unsigned long long seed, offset; } made[16];
static int n;
int curandCreateGenerator(void **g, int type) { *g = &made[n++]; return 0; }
int curandDestroyGenerator(void *g) { return 0; }
int curandSetPseudoRandomGeneratorSeed(void *g, unsigned long long seed) { made[n - 1].seed = seed; return 0; }
int curandSetGeneratorOffset(void *g, unsigned long long offset) { made[n - 1].offset = offset; return 0; }
unsigned long long curandPlace(void *g) { return made[n - 1].seed + made[n - 1].offset; }
"""

RAND_HEADER = """
typedef void *curandGenerator_t;
int curandCreateGenerator(curandGenerator_t *g, int type);
int curandDestroyGenerator(curandGenerator_t g);
int curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed);
int curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset);
unsigned long long curandPlace(curandGenerator_t g);
"""


@pytest.fixture
def session(start_kernel, tmp_path):
    """A session with a toolkit that has nothing but these."""
    home = tmp_path / "home"
    (home / "include").mkdir(parents=True)
    (home / "lib").mkdir()
    (home / "include" / "cublas_v2.h").touch()
    (home / "include" / "cufft.h").touch()
    (home / "include" / "curand.h").touch()
    for name, text in ("cublas", BLAS), ("cublasLt", "int cublasLtNothing;"), ("cufft", FFT), ("curand", RAND):
        source = home / f"{name}.c"
        source.write_text(text)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", str(home / "lib" / f"lib{name}.so"), str(source)], check=True)
    session = start_kernel(CUDA_HOME=str(home))
    told = session.run(f"%pkg cublas cufft curand\n{BLAS_HEADER}{FFT_HEADER}{RAND_HEADER}").ok().stdout
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
    assert "the cuBLAS handle `h` of cell 2: cublasCreate() makes it again before the next cell" in fault.traceback
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


def test_what_a_library_allocates_is_no_memory_of_the_session(session):
    """As such it would be lost in each recovery. What other libraries allocate for a cell is."""
    session.run('cublasHandle_t h; cublasCreate(&h); char *copy = strdup("x"), *own = malloc(1);').ok()
    places = session.run('printf("%zx %zx %zx", (size_t)h >> 40, (size_t)copy >> 40, (size_t)own >> 40);').ok().stdout.split()
    assert places[1:] == ["20", "20"] and places[0] != "20", places


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


def test_what_was_set_on_a_handle_is_set_again(session):
    session.run("cublasHandle_t h; cudaStream_t s; void *w; size_t size; cufftHandle p; curandGenerator_t g;\n"
                "cudaStreamCreate(&s); cudaMalloc(&w, 1 << 20); cublasCreate(&h);\n"
                "cublasSetStream_v2(h, 0); cublasSetMathMode(h, 2); cublasSetWorkspace_v2(h, w, 1 << 20);\n"
                "cublasSetStream_v2(h, s); cufftCreate(&p); cufftMakePlan1d(p, 64, 7, 3, &size); cufftSetStream(p, s);\n"
                "curandCreateGenerator(&g, 100); curandSetPseudoRandomGeneratorSeed(g, 1ull << 40);\n"
                "curandSetGeneratorOffset(g, 77);").ok()
    shown = "cublasStreamOf(h) == s && cublasModeOf(h) == 2 && cublasWorkspaceOf(h) == w && cublasOrderOf(h) > 0"
    assert session.run(shown).ok().text == "1"
    # What a failed cell sets is not.
    fault = session.run("cublasSetMathMode(h, 5); " + FAULT)
    assert ("cublasCreate() makes it again before the next cell, and these set it again: cublasSetMathMode(), "
            "cublasSetWorkspace(), cublasSetStream()\n") in fault.traceback
    assert "and these set it again: cufftMakePlan1d(), cufftSetStream()\n" in fault.traceback
    assert "curandSetPseudoRandomGeneratorSeed(), curandSetGeneratorOffset(); its numbers begin anew" in fault.traceback
    again = session.run(shown).ok()
    assert again.text == "1" and not again.stderr
    assert session.run("cufftShape(p)").ok().text == str(64 * 100 + 7 * 10 + 3)
    assert session.run("cufftStreamOf(p) == s && curandPlace(g) == (1ull << 40) + 77").ok().text == "1"

    # A handle of its own has nothing of one that was destroyed.
    session.run("cublasDestroy(h); cublasCreate(&h); cublasSetMathMode(h, 3);").ok()
    fault = session.run(FAULT)
    assert "and these set it again: cublasSetMathMode()" in fault.traceback and "SetStream()" not in [
        line for line in fault.traceback.splitlines() if "`h`" in line][0]
    assert session.run("cublasModeOf(h) == 3 && !cublasStreamOf(h)").ok().text == "1"


def test_what_cannot_be_set_again_is_named(session):
    session.run("cublasHandle_t h; cudaStream_t s; void *w; cufftHandle p; int size[] = { 64 }; size_t work;\n"
                "cudaStreamCreate(&s); cudaMalloc(&w, 4096); cublasCreate(&h); cublasSetStream_v2(h, s);\n"
                "cublasSetWorkspace_v2(h, w, 4096); cufftCreate(&p);\n"
                "cufftMakePlanMany(p, 1, size, NULL, 1, 0, NULL, 1, 0, 7, 3, &work);").ok()
    session.run("cudaStreamDestroy(s); cudaFree(w);").ok()
    fault = session.run(FAULT)
    assert "the cuFFT handle `p` of cell 2: cufftCreate() makes it again before the next cell; call again: cufftMakePlanMany()" \
        in fault.traceback
    told = session.run("1").ok().stderr
    assert "the cuBLAS handle `h` of cell 2: cublasSetStream() was not called again: its stream is gone" in told
    assert "cublasSetWorkspace() was not called again: its memory is gone" in told
    assert session.run("cublasUse(h) == 0 && !cublasStreamOf(h) && !cublasWorkspaceOf(h)").ok().text == "1"
    # Said once.
    session.run(FAULT)
    assert not session.run("1").ok().stderr


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
