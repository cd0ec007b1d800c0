# SPDX-License-Identifier: Apache-2.0
"""A GPU that reaches all memory of the host (HMM): a pointer of malloc() is legal in device code. The GPU is played
(start_on_gpu in conftest.py) with hmm=1."""
import pytest

pytestmark = pytest.mark.cuda

DEFINITIONS = """#include <stdlib.h>
#include <sys/mman.h>
struct counts { int n; int *total; };
__global__ void store(int *p) { p[threadIdx.x] = threadIdx.x; }
__global__ void count(int *p) { atomicAdd(p, 1); }
__global__ void count_all(struct counts c, int *other) { other[threadIdx.x] = 1; atomicAdd(c.total + 1, 2); }
__global__ void sum(int *p) {
    __shared__ int s;
    if (!threadIdx.x) s = 0;
    __syncthreads();
    atomicAdd(&s, 1);
    __syncthreads();
    p[0] = s;
}
int of_cell[8];
const int fixed[4] = {1, 2, 3, 4};
int *kept = (int *)malloc(64), *on_device, *managed;
kept[0] = 0;
cudaMalloc(&on_device, 64);
cudaMallocManaged(&managed, 64);
cudaMemset(on_device, 0, 64);
managed[0] = 0;
int seen;"""

MAPPED = "int *mapped = (int *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);"
NOTHING = "and nothing is there: no buffer, and no block, variable or mapping of the host"
WHY = "is memory of the host that is mapped shared"


@pytest.fixture(scope="module")
def session(start_on_gpu):
    session = start_on_gpu(CGPU_PLAYED_GPU="hmm=1")
    session.run(DEFINITIONS).ok()
    return session


def test_device_code_writes_to_memory_of_the_host(session):
    session.run("store<<<1, 8>>>(of_cell); sum<<<1, 8>>>(kept); cudaDeviceSynchronize();").ok()
    assert session.run("100 * of_cell[7] + kept[0]").ok().text == "708"
    fresh = "int *fresh = (int *)malloc(1 << 20); store<<<1, 8>>>(fresh); cudaDeviceSynchronize(); fresh[5]"
    assert session.run(fresh).ok().text == "5"
    assert session.run("fresh[6]").ok().text == "6"


def test_atomics_on_private_memory_of_the_host(session):
    assert session.run("of_cell[0] = 3; count<<<1, 4>>>(of_cell); cudaDeviceSynchronize(); of_cell[0]").ok().text == "7"
    assert session.run("count<<<1, 4>>>(managed); cudaDeviceSynchronize(); managed[0]").ok().text == "4"
    copy = "cudaMemcpy(&seen, on_device, 4, cudaMemcpyDefault); seen"
    assert session.run(f"count<<<1, 4>>>(on_device); {copy}").ok().text == "4"


@pytest.mark.parametrize("make, name", [("mapped[0] = 1;", "mapped"),
                                        ("int *young = (int *)calloc(1 << 20, 1); young[0] = 1;", "young")])
def test_atomics_on_shared_memory_of_the_host_are_refused(session, make, name):
    result = session.run(f"{MAPPED}\n{make}\ncount<<<1, 4>>>({name});\ncudaDeviceSynchronize();\n{name}[0]").ok()
    assert result.text == "1", result.shown
    for words in (f"the launch of count returned cudaErrorNotSupported", "in line 3", WHY, f"(`{name}`)", "argument 1",
                  "cudaMallocManaged()", "cudaMalloc()"):
        assert words in result.stderr, result.stderr
    # Its context is good.
    assert session.run("store<<<1, 4>>>(of_cell); cudaDeviceSynchronize(); of_cell[3]").ok().text == "3"


def test_what_a_cell_has_allocated_is_private_in_the_next(session):
    session.run("int *grown = (int *)calloc(1 << 20, 1);").ok()
    assert session.run("count<<<1, 4>>>(grown); cudaDeviceSynchronize(); grown[0]").ok().text == "4"


def test_the_pointer_may_be_in_a_struct_and_the_refusal_be_looked_at(session):
    result = session.run(MAPPED + """
mapped[1] = 5;
struct counts c = { 1, mapped };
count_all<<<1, 4>>>(c, on_device);
printf("%s\\n", cudaGetErrorName(cudaGetLastError()));
mapped[1]""").ok()
    assert result.stdout == "cudaErrorNotSupported\n" and result.text == "5" and not result.stderr, result.shown


def test_a_graph_is_asked_for_its_launches_too(session):
    result = session.run(MAPPED + """
cudaStream_t s;
cudaGraph_t g;
cudaGraphExec_t x;
cudaStreamCreate(&s);
cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
count<<<1, 4, 0, s>>>(mapped);
cudaStreamEndCapture(s, &g);
cudaGraphInstantiate(&x, g, 0);
cudaGraphLaunch(x, s);
mapped[0]""").ok()
    assert "cudaErrorNotSupported" in result.stderr and WHY in result.stderr and result.text == "0", result.shown


def test_a_device_without_hmm_is_not_asked(start_on_gpu):
    session = start_on_gpu()
    session.run(DEFINITIONS).ok()
    result = session.run("count<<<1, 4>>>(kept); cudaDeviceSynchronize();")
    assert result.ename == "CudaIllegalAddress", result.shown
    session.close()


def checked(session, cell):
    """On the emulated device, which reaches what the GPU of the session reaches."""
    return session.run(f"%%memcheck\n{cell}\ncudaDeviceSynchronize();")


@pytest.mark.parametrize("cell", ["store<<<1, 8>>>(of_cell);", "store<<<1, 16>>>(kept);", "store<<<1, 8>>>(on_device);",
                                  "int *own = (int *)malloc(32); store<<<1, 8>>>(own); cudaDeviceSynchronize(); free(own);",
                                  f"{MAPPED} store<<<1, 8>>>(mapped);"])
def test_a_checked_cell_may_do_what_the_gpu_can(session, cell):
    result = checked(session, cell)
    assert result.status == "ok" and "No launch faulted" in result.shown, result.shown


@pytest.mark.parametrize("cell, words", [
    ("store<<<1, 9>>>(of_cell);", "and is 1 bytes after the nearest allocation `of_cell` at 0x"),
    ("store<<<1, 17>>>(kept);", "and is 1 bytes after the nearest allocation `kept` at 0x"),
    ("int *gone = (int *)malloc(400); free(gone); store<<<1, 1>>>(gone + 2);",
     "and is 8 bytes inside an allocation that was freed"),
    ("store<<<1, 1>>>((int *)0x500000000000);", NOTHING),
    ("store<<<1, 1>>>(kept + (1l << 30));", NOTHING),
    ("store<<<1, 1>>>((int *)8);", "and is a null pointer plus 8"),
    ("store<<<1, 1>>>((int *)fixed);", "is read-only"),
])
def test_a_wild_pointer_is_told_as_what_it_is(session, cell, words):
    result = checked(session, cell)
    assert result.ename == "CudaIllegalAddress" and words in result.traceback, result.shown
    assert "cannot reach" not in result.shown, result.shown


def test_a_checked_cell_is_refused_the_same_launches(session):
    assert WHY in checked(session, f"{MAPPED} count<<<1, 4>>>(mapped);").shown


def test_a_fault_of_the_gpu_says_what_it_can_not_be(session):
    result = session.run("store<<<1, 1>>>(kept + (1l << 30)); cudaDeviceSynchronize();")
    assert result.ename == "CudaIllegalAddress", result.shown
    assert "This GPU reaches all memory of the host (HMM), so the address is one where nothing is mapped" in result.shown
    assert "Run the cell again with `%%memcheck`" in result.shown, result.shown
