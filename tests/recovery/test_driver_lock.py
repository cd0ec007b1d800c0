# SPDX-License-Identifier: Apache-2.0
"""A commit stops the threads of cells, and then calls the driver, whose lock none of them may have at that moment.

The GPU is played (start_on_gpu in conftest.py), with one lock for all calls that is held for a while in each."""
import pytest

pytestmark = [pytest.mark.long, pytest.mark.cuda]

DEFINITIONS = r"""#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
__global__ void add(int *p) { p[threadIdx.x]++; }
int *pinned, *memory;
cudaStream_t stream;
cudaEvent_t event;
_Atomic long calls;
pthread_t thread;
"""
LOOP = """
void *ask(void *unused)
{{
    for (;; calls++)
        {};
    return unused;
}}
pthread_create(&thread, NULL, ask, NULL);"""
# Calls that ask, that wait, that change something, and those that a library would make.
CALLS = ["cudaStreamQuery(stream)", "cudaStreamSynchronize(stream)", "cudaEventSynchronize(event)", "cudaDeviceSynchronize()",
         "(add<<<1, 32, 0, stream>>>(memory))", "cudaMemcpy(memory, pinned, 64, cudaMemcpyDefault)", "cuStreamQuery(stream)",
         "cuStreamSynchronize(stream)", "cuCtxSynchronize()", "cudaFree((cudaMalloc(&mine, 1 << 20), mine))"]
SETUP = """cudaMallocHost(&pinned, 1 << 16); cudaMalloc(&memory, 4096); cudaStreamCreate(&stream); cudaEventCreate(&event);
cudaEventRecord(event, stream);"""


@pytest.mark.parametrize("call", CALLS)
def test_a_thread_in_the_driver_does_not_hold_up_a_commit(start_on_gpu, call):
    session = start_on_gpu(CGPU_PLAYED_GPU="lock=1000")
    session.run("#include <cuda.h>\n" + DEFINITIONS).ok()
    session.run(SETUP).ok()
    session.run("void *mine;\n" + LOOP.format(call)).ok()
    for i in range(8):
        # Registered memory is let go after each commit, and freed memory unmapped.
        assert session.run(f"int *p; cudaMalloc(&p, 4 << 20); cudaFree(p); pinned[0] = {i}; pinned[0]").ok().text == str(i)
    before = int(session.run("(long)calls").ok().text)
    assert before > 0
    session.run("*(volatile int *)8 = 1;")
    assert session.run("pinned[0]").ok().text == "7"
    session.close()


def test_a_driver_that_does_not_give_memory_back_is_left(start_on_gpu, tmp_path):
    """The cell is committed; what comes after it hangs. Another process goes on with the session."""
    stuck = tmp_path / "stuck"
    session = start_on_gpu(CGPU_PLAYED_GPU=f"stuck={stuck}")
    session.run(DEFINITIONS + SETUP).ok()
    session.run("int kept = 1; pinned[0] = 5;").ok()
    stuck.touch()
    session.run("kept = 2; cudaFree(memory); memory = NULL;").ok()
    result = session.run("kept")
    assert result.ok().text == "2" and "hangs in the driver" in result.shown, result.shown
    stuck.unlink()
    session.run("%gpu reset").ok()
    assert session.run("pinned[0]").ok().text == "5"
    session.close()
