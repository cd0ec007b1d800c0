# SPDX-License-Identifier: Apache-2.0
"""A session that is parked has nothing of the device, and is the same session when the next cell comes."""

import descriptors
from session import alive, stop, wait_until

VALUES = """#include <stdio.h>
__device__ int counter = 5;
__global__ void add(int *p, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) p[i] += i; if (!i) counter++; }
int *p; cudaMalloc(&p, 40 << 20); cudaMemset(p, 1, 40 << 20); int *small; cudaMalloc(&small, 4096);
cudaMemset(small, 2, 4096); int *old = p;"""
ADD = "add<<<4, 256>>>(p, 1000); cudaDeviceSynchronize();"
SHOW = """{ int h[3], s, c; cudaMemcpy(h, p, 12, cudaMemcpyDeviceToHost); cudaMemcpy(&s, small + 1000, 4, cudaMemcpyDeviceToHost);
cudaMemcpyFromSymbol(&c, counter, 4);
printf("%d %d %d %x %d %d", h[0] - 0x1010101, h[1] - 0x1010101, h[2] - 0x1010101, s, c, old == p); }"""


def printed(session, code):
    return session.run(code).ok().printed


def workers(session):
    """Beside the zygote, which has never opened a device."""
    return session._of("cgpu-worker")[1:]


def is_parked(session):
    return not workers(session)


TAKE = '#include <stdio.h>\nint *a; printf("%d", cudaMalloc(&a, 160 << 20)); cudaMemset(a, NUMBER, 160 << 20);'
LOOK = '{ int h; cudaMemcpy(&h, a + (39 << 20), 4, cudaMemcpyDeviceToHost); printf("%x", h); }'


def test_a7_an_idle_notebook_gives_the_device_back_and_finds_it_again(pair):
    first, second = pair
    assert printed(first, TAKE.replace("NUMBER", "7")) == "0"
    at = printed(first, 'printf("%p", a);')
    printed(second, "%limit wait 60s")
    assert printed(second, TAKE.replace("NUMBER", "9")) == "0"
    assert is_parked(first)
    shown = printed(first, "%gpu")
    assert "parked: 160 MB of device memory are in host memory" in shown and is_parked(first)
    assert "0 B  first.ipynb (this one), has parked 160 MB" in shown
    assert f"0 B  first.ipynb, process {first.pid}, has parked 160 MB" in printed(second, "%gpu")
    # It needs no `%limit wait`: the other one is idle, and parks in its turn.
    assert printed(first, LOOK) == "7070707"
    assert printed(first, 'printf("%p", a);') == at
    assert is_parked(second)
    assert printed(second, LOOK) == "9090909"


def test_what_was_parked_is_the_same_session(on_one_device):
    session = on_one_device(CGPU_PARK_MEMORY="1M", CGPU_UNDO="1G")
    for cell in (VALUES, ADD, ADD):
        printed(session, cell)
    parked = printed(session, "%park\n%park")
    assert "Parked: " in parked and "are on disk" in parked
    assert is_parked(session)
    assert printed(session, SHOW) == "0 2 4 2020202 7 1"
    # A fault in the cell that brings it back, with writes before.
    answer = session.run("%park\n" + ADD + "\n*(volatile int *)0 = 1;")
    assert answer.ename == "SegmentationFault"
    assert printed(session, SHOW) == "0 2 4 2020202 7 1"
    # Undo finds what it has kept, although that was parked too.
    assert printed(session, ADD) == ""
    printed(session, "%park")
    assert is_parked(session)
    assert "Taken back: cells 8, 7, 5, 3" in printed(session, "%undo 4")
    assert printed(session, SHOW) == "0 1 2 2020202 6 1"
    printed(session, "%snapshot save here\n%park")
    assert printed(session, "%snapshot load here")
    assert printed(session, SHOW) == "0 1 2 2020202 6 1"
    printed(session, "%park\n%reset")
    assert session.run("p").ename == "CompileError"
    printed(session, "%undo")
    assert printed(session, SHOW) == "0 1 2 2020202 6 1"
    session.close()


def test_processes_that_die_on_the_way(on_one_device):
    session = on_one_device()
    printed(session, VALUES)
    printed(session, ADD)
    for times in range(2):
        printed(session, "%park")
        assert is_parked(session)
        if times:
            session.kill(session.zygote_pid())
        back = session.start(SHOW)
        assert wait_until(lambda: workers(session))
        # It is being given the session, or runs the cell already, which then is rolled back.
        session.kill(workers(session)[0])
        answer = back.wait()
        assert answer.ename == "WorkerKilled" or answer.stdout == "0 1 2 2020202 6 1", answer.shown
        assert printed(session, SHOW) == "0 1 2 2020202 6 1"
    session.close()


def test_a_device_that_others_have_taken(pair):
    first, second = pair
    printed(first, TAKE.replace("NUMBER", "7"))
    printed(first, "%park")
    printed(second, "%park wanted off")
    assert printed(second, TAKE.replace("NUMBER", "9")) == "0"
    answer = first.run(LOOK)
    assert answer.ename == "CudaOutOfMemory"
    assert answer.evalue == "the 160 MB of device memory that this session has parked cannot come back at the moment"
    assert f"     160 MB  second.ipynb, process {second.pid}" in answer.traceback
    assert "the session is still parked, and nothing is lost" in answer.traceback
    assert is_parked(first) and f"process {second.pid}" in printed(first, "%gpu")
    # Magics that need the worker say it, too.
    assert "the session is parked, and cannot come back" in first.run("%mem").evalue
    printed(first, "%limit wait 1h")
    waiting = first.start(LOOK).wait_busy()
    assert wait_until(lambda: "first.ipynb, process" in printed(second, "%gpu"))
    first.interrupt()
    assert waiting.wait().ename == "Interrupted"
    assert "waits for" not in printed(second, "%gpu") and is_parked(first)
    waiting = first.start(LOOK).wait_busy()
    assert wait_until(lambda: "waits for 160 MB" in printed(second, "%gpu"))
    printed(second, "cudaFree(a);")
    assert waiting.wait().ok().stdout == "7070707"


def test_a_device_that_is_fuller_than_anybody_says(on_one_device):
    session = on_one_device(CGPU_EMULATED_FAIL="cuMemCreate=2:3")
    take = "#include <stdio.h>\nchar *NAME[2]; for (int i = 0; i < 2; i++) cudaMalloc(&NAME[i], 4 << 20);"
    printed(session, take.replace("NAME", "a"))
    session.run("*(volatile int *)0 = 1;")
    printed(session, take.replace("NAME", "b"))
    printed(session, "%park")
    for _ in range(4):
        answer = session.run("cudaMemset(a[0], 1, 4);")
        assert answer.ename == "CudaOutOfMemory" and "the device has no 4 MB free" in answer.traceback
        assert wait_until(lambda: is_parked(session))
    printed(session, "%reset")
    assert printed(session, take.replace("NAME", "a") + 'printf("%d", !!a[1]);') == "1"
    session.close()


def test_by_itself_when_nothing_is_lost(on_one_device):
    session = on_one_device(CGPU_PARK_IDLE="300ms")
    printed(session, VALUES)
    assert wait_until(lambda: is_parked(session))
    assert printed(session, SHOW) == "0 0 0 2020202 5 1"
    # What the driver has given to a cell would be lost, an open file, and a thread.
    printed(session, "CUdeviceptr q; cuMemAlloc(&q, 1 << 20);")
    lost = "1 MB of device memory that cells or libraries took from the driver"
    assert f"not by itself now, since this would be lost: {lost}" in printed(session, "%park status")
    printed(session, "cuMemFree(q);")
    assert "not by itself" not in printed(session, "%park status")
    assert wait_until(lambda: is_parked(session))
    printed(session, 'FILE *f = fopen("notes.txt", "w");')
    worker = workers(session)
    assert "idle    1 s" in printed(session, "%park idle 1s")
    answer = session.run("%park").ok()
    assert "will not come back: open file notes.txt of In[7]" in answer.stderr and not any(map(alive, worker))
    answer = session.run(SHOW).ok()
    assert answer.stdout == "0 0 0 2020202 5 1" and "notes.txt" in answer.stderr, answer.shown
    printed(session, "#include <threads.h>\n#include <unistd.h>\nthrd_t t; int live(void *x) { for (;;) pause(); return 0; }\n"
                     "thrd_create(&t, live, 0);")
    assert "threads that cells have started still run" in session.run("%park").evalue
    for wrong, text in (("idle soon", "is no time"), ("wanted maybe", "on or off"), ("house", "is not one of")):
        assert text in session.run("%park " + wrong).evalue
    session.close()


def test_an_undo_while_the_session_is_being_parked(on_one_device, tmp_path):
    session = on_one_device(CGPU_PARK_MEMORY="1K", CGPU_AUTOSAVE="0", XDG_STATE_HOME=str(tmp_path))
    printed(session, VALUES)
    printed(session, ADD)
    stop(workers(session)[0])
    printed(session, "%park idle 1ms")
    # The file is made there, and the first piece is not written.
    assert wait_until(lambda: list(tmp_path.glob("cgpu/*")))
    assert "Taken back" in printed(session, "%undo")
    assert wait_until(lambda: is_parked(session))
    assert printed(session, SHOW) == "0 0 0 2020202 5 1"
    session.close()


def parked_bytes(session):
    """Of the file that the worker was given: what it takes."""
    for worker in workers(session):
        for _, file in descriptors.named(worker, "memfd:cgpu-parked"):
            return file.st_blocks * 512
    return None


def test_what_undo_keeps_parked_does_not_keep_the_rest(on_one_device):
    session = on_one_device(CGPU_UNDO="1G", CGPU_AUTOSAVE="0")
    printed(session, VALUES)
    printed(session, "int *gone; cudaMalloc(&gone, 4 << 20); cudaMemset(gone, 1, 4 << 20);")
    printed(session, "cudaFree(gone);")
    for _ in range(3):
        printed(session, "%park")
        assert printed(session, SHOW) == "0 0 0 2020202 5 1"
        assert wait_until(lambda: 4 << 20 <= (parked_bytes(session) or 0) < 8 << 20), parked_bytes(session)
    session.close()
