# SPDX-License-Identifier: Apache-2.0
"""A device that cannot be initialised, is lost, is full of what others have, or takes its time. Scenarios A2, A5, A6, A12."""
import time

from session import wait_until

import pytest

pytestmark = [pytest.mark.cuda, pytest.mark.emulated]

INIT = {  # what the driver does: the error, words of the message
    "cuInit=100": ("CudaNoDevice", ["no CUDA-capable device is detected (100)"]),
    "cuInit=803": ("CudaSystemDriverMismatch", ["driver / cuda driver combination (803)"]),
    "cuInit=999": ("CudaUnknown", ["unknown error (999)"]),
    "driver=12040": ("CudaInsufficientDriver", ["The driver is for CUDA 12.4; CUDA 13.0 is needed", "driver 580"]),
}


@pytest.mark.parametrize("failure", INIT)
def test_a12_the_first_gpu_cell_says_which_driver_is_needed_and_host_cells_work(start_kernel, failure):
    """A12: CUDA 13 on an old driver, and other reasons why there is no device."""
    ename, words = INIT[failure]
    session = start_kernel(CGPU_EMULATED_FAIL=failure)
    assert session.run("#include <stdio.h>\nint kept = 5; kept").ok().text == "5"
    result = session.run("kept = 6;\n__global__ void k(int *p) { *p = 1; }")
    assert result.ename == ename and "Cells that use no device work as before" in result.evalue, result.shown
    assert all(word in result.evalue for word in words), result.shown
    result = session.run("int *p; cudaMalloc(&p, 4); kept").ok()
    assert result.text == "5"
    assert "cudaMalloc returned cudaError" in result.stderr and words[0] in result.stderr, result.shown
    assert words[0] in session.run("%gpu").ok().printed
    session.run("*(volatile int *)0 = 1;")
    assert session.run("kept + 1").ok().text == "6"
    session.close()


@pytest.fixture
def lost(tmp_path):
    return tmp_path / "lost"


def test_a_lost_device_leaves_host_state_and_comes_back_by_a_reset(start_kernel, make_state, spoil, lost):
    """As after Xid 79: every call fails with 999, in new processes too, until the device is reset."""
    state = make_state(start_kernel(CGPU_EMULATED_FAIL=f"device=lost:{lost}"))
    session = state.session
    session.run("int host_only = 1;").ok()
    result = session.run(spoil + f'host_only = 2; fclose(fopen("{lost}", "w")); cudaDeviceSynchronize();')
    assert result.ename == "CudaUnknown" and result.errors == 1, result.shown
    assert "device buffers of " in result.shown and "cannot be reached" in result.shown, result.shown
    assert "`%gpu reset` tries the device again" in result.shown, result.shown
    # Cells of the host go on, are committed and fail as ever.
    assert session.run("host_only += 10; numbers[7]").ok().text == "49"
    assert session.run("numbers[7] = 0; *(volatile int *)0 = 1;").ename == "SegmentationFault"
    result = session.run("int x; cudaMemcpy(&x, device, 4, cudaMemcpyDeviceToHost); host_only").ok()
    assert result.text == "11" and "cudaMemcpy returned cudaErrorUnknown" in result.stderr, result.shown
    assert "cannot be reached" in session.run("%undo").shown
    result = session.run("%reset gpu")
    assert result.ename == "UsageError" and "`%gpu reset` tries it again" in result.evalue, result.shown
    # It is still lost.
    assert "Cells cannot use it" in session.run("%gpu reset").ok().printed
    lost.unlink()
    shown = session.run("%gpu reset").ok()
    assert "Cells cannot use it" not in shown.stdout and not shown.stderr, shown.shown
    assert session.run("host_only").ok().text == "11"
    state.assert_untouched()
    assert session.run("host_only = 12; fill<<<1, 32>>>(device, 32);").ok()
    session.run("%undo").ok()
    assert session.run("host_only").ok().text == "11"


TWO_BUFFERS = """#include <stdio.h>
char *one, *two; int host = 3;
cudaMalloc(&one, 3 << 20); cudaMemset(one, 1, 3 << 20);
cudaMalloc(&two, 3 << 20); cudaMemset(two, 2, 3 << 20);"""
FIRST_BYTES = """char a, b; cudaMemcpy(&a, one + 99, 1, cudaMemcpyDefault); cudaMemcpy(&b, two + 99, 1, cudaMemcpyDefault);
printf("%d %d %d", a, b, host);"""
SPOIL_AND_DIE = "host = 4; cudaMemset(one, 8, 3 << 20); cudaMemset(two, 9, 3 << 20); *(volatile int *)0 = 1;"
TRANSIENT = {"cuMemImportFromShareableHandle": 304, "cuMemMap": 2, "cuMemSetAccess": 999, "cuMemcpyAsync": 2}


def test_an_empty_session_gets_another_worker_too(start_kernel, tmp_path):
    """The session is new after `%reset`; the device has worked before."""
    late = tmp_path / "late"
    session = start_kernel(CGPU_EMULATED_FAIL=f"cuInit=802:once:{late}")
    session.run("int host = 1;").ok()
    late.touch()
    session.run("%reset -f").ok()
    result = session.run("__global__ void k(int *p) { *p = 2; }\nint *p; cudaMallocManaged(&p, 4); k<<<1, 1>>>(p);")
    assert result.ok() and session.run("cudaDeviceSynchronize(); *p").ok().text == "2"
    session.close()


@pytest.mark.parametrize("call", TRANSIENT)
def test_a_call_that_fails_in_one_process_loses_nothing(start_kernel, tmp_path, call):
    """The next process maps the same memory; the failed cell has overwritten all of it, so its content is copied back, too."""
    once = tmp_path / "once"
    session = start_kernel(CGPU_EMULATED_FAIL=f"{call}={TRANSIENT[call]}:once:{once}")
    session.run(TWO_BUFFERS).ok()
    result = session.run(SPOIL_AND_DIE.replace("*(volatile", f'fclose(fopen("{once}", "w")); *(volatile'))
    assert result.ename == "SegmentationFault" and result.errors == 1, result.shown
    assert not once.exists(), "the call was not made"
    assert "buffer" not in result.shown, result.shown
    assert session.run(FIRST_BYTES).ok().stdout == "1 2 3"
    session.close()


def test_memory_that_no_process_can_map_is_out_of_reach_until_a_reset(start_kernel, tmp_path):
    fails = tmp_path / "fails"
    session = start_kernel(CGPU_EMULATED_FAIL=f"cuMemImportFromShareableHandle=304:while:{fails}")
    session.run(TWO_BUFFERS).ok()
    fails.touch()
    result = session.run(SPOIL_AND_DIE)
    assert result.ename == "SegmentationFault" and result.errors == 1, result.shown
    assert "2 device buffers of 6291456 bytes cannot be reached: the memory of `one` (cell 1, 3145728 bytes" in result.shown
    assert "OS call failed" in result.shown and "(304)" in result.shown, result.shown
    assert session.run("host").ok().text == "3"
    shown = session.run("cudaMemset(one, 1, 1);").shown
    assert "cudaMemset returned cudaErrorDevicesUnavailable" in shown and "the memory of `one`" in shown, shown
    fails.unlink()
    session.run("%gpu reset").ok()
    assert session.run(FIRST_BYTES).ok().stdout == "1 2 3"
    session.close()


def test_a_reset_gives_up_only_the_memory_that_does_not_come(start_kernel):
    """One buffer's memory is gone for good, as after a reset of a card: the session goes on with all others as they were."""
    session = start_kernel(CGPU_EMULATED_FAIL="cuMemImportFromShareableHandle=1")
    session.run(TWO_BUFFERS).ok()
    before = session.run('printf("%p %p", one, two);').ok().stdout
    result = session.run("host = 4; *(volatile int *)0 = 1;")
    assert "cannot be reached: the memory of `one` (cell 1, 3145728 bytes at 0x" in result.shown, result.shown
    shown = session.run("%gpu reset").ok().shown
    assert "the content of device buffer `one` (cell 1, 3145728 bytes at 0x" in shown and "`two`" not in shown, shown
    # The address has memory again, which is the session's as any other.
    session.run("cudaMemset(one, 7, 3 << 20);").ok()
    assert session.run(FIRST_BYTES).ok().stdout == "7 2 3"
    assert session.run('printf("%p %p", one, two);').ok().stdout == before
    session.close()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_session_of_a_gpu_does_not_go_on_with_another_driver(start_on_gpu, tmp_path, workers):
    """The driver of the machine does not start any more, as after its update; the emulated device would."""
    gone = [tmp_path / str(i) for i in range(workers + 1)]
    session = start_on_gpu(CGPU_DEVICE=None, CGPU_EMULATED_FAIL=",".join(f"cuInit=803:once:{f}" for f in gone[:workers]))
    session.run(TWO_BUFFERS).ok()
    device = session.run("%gpu").ok().printed.splitlines()[0]
    spare = session.spare_pid()
    for f in gone[:workers]:
        f.touch()
    result = session.run(SPOIL_AND_DIE)  # the spare has begun before
    assert result.ename == "SegmentationFault" and session.worker_pid() == spare, result.shown
    assert session.run(FIRST_BYTES).ok().stdout == "1 2 3"
    result = session.run(SPOIL_AND_DIE)
    assert wait_until(lambda: not any(f.exists() for f in gone)), "the driver was not started"
    if workers == 2:
        assert "2 device buffers of 6291456 bytes cannot be reached" in result.shown and "(803)" in result.shown, result.shown
        assert session.run("%gpu").ok().printed
        assert session.run("host").ok().text == "3"
        session.run("%gpu reset").ok()
    else:
        assert "buffer" not in result.shown, result.shown
    assert session.run(FIRST_BYTES).ok().stdout == "1 2 3"
    assert session.run("%gpu").ok().printed.splitlines()[0] == device
    session.close()


def test_memory_that_others_have_is_refused_with_the_numbers(start_kernel, inject_cell):
    """A5, and less is free than the limit says."""
    session = start_kernel(CGPU_EMULATED_MEMORY="256M")
    session.run(inject_cell).ok()
    session.run("%limit gpu 200M").ok()
    session.run('inject("memory=held:192M");').ok()
    result = session.run("char *p; cudaMalloc(&p, 100 << 20);")
    assert result.ename == "CudaOutOfMemory" and "100.0 MiB" in result.traceback, result.shown
    assert "has 64.0 MiB free of 256.0 MiB; this session holds 0 bytes of it" in result.traceback, result.shown
    session.run("char *q; cudaMalloc(&q, 40 << 20); cudaMemset(q, 1, 40 << 20);").ok()
    session.close()


def test_a_slow_context_is_not_seen_after_a_fault(start_kernel, tmp_path, capfd):
    """The spare makes its context while a cell runs, so a recovery does not wait for one."""
    began = time.monotonic()
    session = start_kernel(CGPU_EMULATED_FAIL="context=slow:900", CGPU_LOG="info")
    spare, go, log = session.spare_pid(), tmp_path / "go", ""

    def is_ready():
        nonlocal log
        log += capfd.readouterr().err
        return f"worker {spare} is ready" in log

    cell = session.start('#include <stdio.h>\n#include <unistd.h>\nprintf("on"); fflush(stdout);\n'
                         f'while (access("{go}", F_OK)) usleep(1000);\n*(volatile int *)0 = 1;').wait_output("on")
    assert wait_until(is_ready), log
    assert time.monotonic() - began >= 1.8, "a worker is ready before its context is made"
    go.touch()
    assert cell.wait().ename == "SegmentationFault"
    session.run("int *p; cudaMalloc(&p, 4);").ok()
    assert session.worker_pid() == spare
    session.close()


def test_a6_reset_gpu_gives_all_device_memory_back_and_keeps_the_host(fresh_kernel):
    """A6: the device's memory to nothing, host variables stay, and the next cell uses the device."""
    session = fresh_kernel
    session.run("#include <stdio.h>\nint host[4] = { 1, 2, 3, 4 };\nint *d; __device__ int counter = 5;\n"
                "__global__ void k(int *p) { *p = ++counter; }\ncudaMalloc(&d, 64 << 20);").ok()
    session.run("k<<<1, 1>>>(d);").ok()
    assert "64" in session.run("%gpu").ok().printed
    session.run("%reset gpu").ok()
    shown = session.run("%gpu").ok().printed
    assert "memory: 256 B used" in shown and "cudaMalloc" not in shown, shown
    assert session.run("host[3]").ok().text == "4"
    result = session.run("int got; int *e; cudaMalloc(&e, 4); k<<<1, 1>>>(e);\n"
                         'cudaMemcpy(&got, e, 4, cudaMemcpyDeviceToHost); printf("%d", got);').ok()
    assert result.stdout == "7", result.shown  # a device variable is a variable
    assert session.run("%reset gpu\nint x;").ename == "UsageError"
    session.run("%undo 3").ok()
