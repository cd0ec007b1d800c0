# SPDX-License-Identifier: Apache-2.0
"""Managed, pinned and registered memory on a GPU, which reaches the pages that were there when they were registered.

The GPU is played (start_on_gpu in conftest.py), and refuses what would use pages that were exchanged meanwhile."""
import pytest

pytestmark = pytest.mark.cuda

DEFINITIONS = r"""#include <stdlib.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/wait.h>
__global__ void add(int *p, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += by;
}
void add_all(int *p, int n, int by)
{
    add<<<(n + 255) / 256, 256>>>(p, n, by);
    cudaDeviceSynchronize();
}
int *memory, global[2048];
int n = 2048;"""

# How the memory comes about, and how it goes.
KINDS = {
    "managed": ("cudaMallocManaged(&memory, n * 4)", "cudaFree(memory)"),
    "pinned": ("cudaMallocHost(&memory, n * 4)", "cudaFreeHost(memory)"),
    "a registered block": ("(memory = malloc(n * 4), cudaHostRegister(memory, n * 4, 0))",
                           "cudaHostUnregister(memory)"),
    "a registered variable": ("(memory = global, cudaHostRegister(global, sizeof(global), 0))",
                              "cudaHostUnregister(global)"),
}
SET = "for (int i = 0; i < n; i++) memory[i] = i;"
DIFFERENT = "int different = 0; for (int i = 0; i < n; i++) different += memory[i] != i + {}; different"


@pytest.fixture
def session(start_on_gpu):
    session = start_on_gpu()
    session.run(DEFINITIONS).ok()
    return session


@pytest.mark.parametrize("kind", KINDS)
def test_host_and_device_see_the_same_over_cells_and_faults(session, kind):
    make, drop = KINDS[kind]
    assert session.run(f"cudaError_t made = {make}; {SET} made").ok().text == "cudaSuccess (0)"
    session.run("add_all(memory, n, 1);").ok()
    session.run("memory[3]++; memory[1030]++;").ok()
    session.run("add_all(memory, n, 1); memory[3]--; add_all(memory, n, 1); memory[1030]--;").ok()
    assert session.run(DIFFERENT.format(3)).ok().text == "0"
    for end in ("abort();", "*(volatile int *)8 = 1;", "add<<<1, 1>>>((int *)64, 1, 1); cudaDeviceSynchronize();"):
        assert session.run("memory[5] = 7; add_all(memory, n, 1); memory[6] = 8; " + end).status == "error"
        assert session.run(DIFFERENT.format(3)).ok().text == "0"
    session.run("add_all(memory, n, 1);").ok()
    assert session.run(DIFFERENT.format(4)).ok().text == "0"
    assert session.run(drop).ok().text == "cudaSuccess (0)"


def test_what_is_lent_and_taken_back_by_a_fork(session):
    session.run(f"n = 1 << 21; cudaMallocManaged(&memory, n * 4); {SET}").ok()
    for _ in range(3):
        session.run("add_all(memory, n, 1);").ok()
    session.run("""add_all(memory, n, 1);
pid_t child = fork();
if (!child) { memory[0] = -1; _exit(0); }
waitpid(child, NULL, 0);
memory[1]++;
add_all(memory, n, 1);
memory[1]--;""").ok()
    assert session.run(DIFFERENT.format(5)).ok().text == "0"
    assert session.run("add_all(memory, n, 1); abort();").status == "error"
    assert session.run(DIFFERENT.format(5)).ok().text == "0"


def start_thread(session, launches):
    """One that does this until `stop`, and counts how often."""
    session.run(f"""#include <pthread.h>
volatile int stop = 0, rounds = 0;
pthread_t loop;
cudaMallocManaged(&memory, n * 4);
{SET}
void *launch_on(void *unused)
{{
    for (; !stop; rounds++) {{ {launches} }}
    return NULL;
}}
pthread_create(&loop, NULL, launch_on, NULL);""").ok()


def test_a_thread_that_launches_between_cells(session):
    """It goes on while the cell's own thread settles, so nothing may stay registered from there to the commit."""
    start_thread(session, "add_all(memory + 1024, 1024, 1); usleep(1000);")
    for _ in range(8):
        session.run("int before = rounds; while (rounds < before + 2) usleep(500);\n"
                    "memory[0]++; add_all(memory, 1, 1);").ok()
    session.run("stop = 1; pthread_join(loop, NULL); memory[0] -= 16; add_all(memory, 1024, rounds);").ok()
    assert session.run("int different = 0; for (int i = 0; i < n; i++) different += memory[i] != i + rounds; different"
                       ).ok().text == "0"


@pytest.mark.parametrize("end", ["", "cgpu_checkpoint();"], ids=["cell", "checkpoint"])
def test_what_a_thread_has_launched_is_in_the_commit(session, end):
    """A launch between the last wait of the cell's own thread and the commit writes to pages that the commit copies."""
    start_thread(session, "add<<<1, 256>>>(memory, 256, 1); usleep(300); cudaDeviceSynchronize();")
    for _ in range(12):
        session.run(f"int before = rounds; while (rounds < before + 2) usleep(500);\nmemory[1024]++; {end}").ok()
    session.run("stop = 1; pthread_join(loop, NULL);").ok()
    assert session.run("int different = 0; for (int i = 0; i < 256; i++) different += memory[i] != i + rounds; different"
                       ).ok().text == "0"


def test_a_checkpoint_in_between(session):
    session.run(f"cudaMallocManaged(&memory, n * 4); {SET}").ok()
    failed = session.run("""add_all(memory, n, 1);
cgpu_checkpoint();
memory[9]++;
add_all(memory, n, 1);
abort();""")
    assert failed.status == "error"
    assert session.run(DIFFERENT.format(1)).ok().text == "0"
    session.run("add_all(memory, n, 1); cgpu_checkpoint(); memory[9]++; add_all(memory, n, 1); memory[9]--;").ok()
    assert session.run(DIFFERENT.format(3)).ok().text == "0"


def test_a_cell_that_registers_by_the_driver_api(session):
    session.run("#include <cuda.h>\n#include <stdint.h>\nmemory = malloc(n * 4);\n" + SET).ok()
    assert session.run("cuMemHostRegister(memory, n * 4, 0)").ok().text == "CUDA_SUCCESS (0)"
    session.run("add_all(memory, n, 1);").ok()
    session.run("memory[2]++; add_all(memory, n, 1); memory[2]--;").ok()
    session.run("CUdeviceptr there = 0; CUresult asked = cuMemHostGetDevicePointer(&there, memory, 0);").ok()
    assert session.run("asked == CUDA_SUCCESS && there == (uintptr_t)memory").ok().text in ("1", "true")
    assert session.run(DIFFERENT.format(2)).ok().text == "0"
    assert session.run("cuMemHostUnregister(memory)").ok().text == "CUDA_SUCCESS (0)"
    assert session.run("cuMemHostUnregister(memory)").ok().text == "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED (713)"


def test_memory_outside_of_the_session_is_named_when_it_is_gone(session):
    session.run("""#include <sys/mman.h>
int *mapped = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
cudaHostRegister(mapped, 8192, 0);""").ok()
    session.run("mapped[0] = 4; add_all(mapped, 2048, 1);").ok()
    assert session.run("mapped[0]").ok().text == "5"
    failed = session.run("abort();")
    assert "`mapped`" in failed.shown and "is not registered with the device any more" in failed.shown, failed.shown
    assert session.run("cudaHostUnregister(mapped)").ok().text == "cudaErrorHostMemoryNotRegistered (713)"
