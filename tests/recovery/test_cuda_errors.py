# SPDX-License-Identifier: Apache-2.0
"""Every error of common/cuda/cuda-faults.def, at a launch, a copy and a call that waits. Scenarios A1, A2, A3, A11."""
import re

import pytest

pytestmark = pytest.mark.cuda

ROW = re.compile(r'CUDA_FAULT\((\d+), (\w+), ((?:"[^"]*"\s*)+)\)')
PLACES = {  # what is injected: the cell
    "launch": "fill<<<4, 256>>>(device, 1024); cudaDeviceSynchronize();",
    "cuMemcpy": "float x; cudaMemcpy(&x, device, sizeof(x), cudaMemcpyDeviceToHost);",
    "cuCtxSynchronize": "fill<<<4, 256>>>(device, 1024);\ncudaDeviceSynchronize();",
}


@pytest.fixture(scope="module")
def faults(root):
    """{kind: {code: meaning}}"""
    found = {}
    for code, kind, text in ROW.findall((root / "common/cuda/cuda-faults.def").read_text()):
        found.setdefault(kind, {})[int(code)] = "".join(re.findall(r'"([^"]*)"', text))
    assert sum(map(len, found.values())) > 25
    return found


@pytest.fixture
def injecting(state, inject_cell):
    state.session.run(inject_cell).ok()
    yield state.session
    state.assert_untouched()


def name_of(session, code):
    return session.run(f'printf("%s", cudaGetErrorName((cudaError_t){code}));').ok().stdout


@pytest.mark.parametrize("place", PLACES)
def test_a1_a2_each_sticky_error_is_named_and_everything_is_as_it_was(state, injecting, spoil, faults, place):
    """A1: the next valid statement works. A2: the message says what was rolled back, and that nothing is to be restarted."""
    for code, meaning in {**faults["STICKY"], **faults["GONE"]}.items():
        name = name_of(injecting, code)
        result = injecting.run(spoil + f'inject("{place}={code}");\n' + PLACES[place])
        shown = result.shown
        assert result.ename == name.replace("cudaError", "Cuda") and result.errors == 1, shown
        assert result.evalue.startswith(f"{name}: "), shown
        assert meaning in result.traceback and "nothing must be restarted" in result.traceback, shown
        assert "rolled back: variables, heap and device memory are as they were before it" in result.traceback, shown
        if place != "launch":
            assert re.search(r"The first call that returned it was cuda\w+ in line [34];", result.traceback), shown
        assert state.fingerprint() == state.first, f"after {name}"


REFUSING = {
    "cuLaunchKernel": "fill<<<4, 256>>>(device, 1024);",
    "cuMemcpy": "float x; cudaMemcpy(&x, device, sizeof(x), cudaMemcpyDeviceToHost);",
    "cuCtxSynchronize": "cudaDeviceSynchronize();",
}


@pytest.mark.parametrize("place", REFUSING)
def test_each_recoverable_error_leaves_the_worker_and_is_told(state, injecting, faults, place):
    first = injecting.worker_pid()
    for code, meaning in faults["RECOVERABLE"].items():
        name = name_of(injecting, code)
        result = injecting.run(f'inject("{place}={code}");\n{REFUSING[place]}').ok()
        assert f" returned {name} (" in result.stderr and "nobody looked at it" in result.stderr, result.shown
        assert meaning in result.stderr and "in line 2," in result.stderr, result.shown
        silent = injecting.run(f'inject("{place}={code}");\n{REFUSING[place]}\nif (cudaGetLastError() != {code}) abort();').ok()
        assert not silent.stderr, silent.shown
    assert injecting.worker_pid() == first
    injecting.run("fill<<<(device_count + 255) / 256, 256>>>(device, device_count);").ok()


REFUSED = {  # launch: what the warning says
    "fill<<<1, 2000>>>(device, 0);": ["cudaErrorInvalidConfiguration", "2000 threads of a block in x", "1 to 1024"],
    "fill<<<1, dim3(64, 64)>>>(device, 0);": ["64 * 64 * 1 threads in a block are 4096", "takes 1024"],
    "fill<<<0, 32>>>(device, 0);": ["cudaErrorInvalidConfiguration", "0 blocks of the grid in x"],
    "fill<<<1, 32, 1 << 20>>>(device, 0);": ["cudaErrorInvalidValue", "1048576 bytes of dynamic shared memory"],
}


def test_a11_a_launch_that_does_not_start_is_never_silent(state, faults):
    """A11: too large for the device. The codes of a wrong architecture are among the recoverable errors above."""
    assert {209, 218, 222} <= set(faults["RECOVERABLE"])
    for launch, words in REFUSED.items():
        result = state.session.run(f"numbers[0] = 0;\n{launch}").ok()
        assert "the launch of fill returned" in result.stderr and "in line 2" in result.stderr, result.shown
        assert all(word in result.stderr for word in words), result.shown
    state.assert_untouched()


def test_a3_after_an_illegal_address_run_all_goes_on(state):
    """A3: the fault, and after it the cells of a notebook that is run again from the start; no worker is started for them."""
    spare = state.session.spare_pid()
    result = state.session.run("__global__ void stray(int *p) { p[1 << 28] = 1; }\nstray<<<1, 1>>>((int *)device);")
    state.session.run("float first; cudaMemcpy(&first, device + 1, sizeof(first), cudaMemcpyDeviceToHost);").ok()
    assert result.ename == "CudaIllegalAddress" and "nothing must be restarted" in result.traceback, result.shown
    assert state.session.worker_pid() == spare
    for cell in ("__global__ void stray(int *p) { p[1] = 1; }\nint *mine; cudaMalloc(&mine, 64);",
                 "stray<<<1, 1>>>(mine); cudaDeviceSynchronize();", "cudaFree(mine);"):
        state.session.run(cell).ok()
    state.assert_untouched()


THROW = """%%cpp
#include <stdexcept>
extern "C" void throw_it() { throw std::runtime_error("the device has failed"); }"""


@pytest.mark.emulated
@pytest.mark.parametrize("end, ename, headline", [
    ("int *lost = NULL; cudaMallocManaged(&lost, 64); lost[3] = 1;", "SegmentationFault",
     "address 0xc is a null pointer plus 12"),
    ("if (cudaGetLastError()) exit(1);", "CellExited", "the cell ended its process with exit status 1"),
    ("if (cudaGetLastError()) abort();", "Aborted", "abort() was called"),
    ("#include <assert.h>\nassert(!cudaGetLastError());", "Aborted", "assertion `!cudaGetLastError()' failed"),
    ("throw_it();", "UncaughtException", "std::runtime_error: the device has failed"),
])
def test_what_comes_of_a_device_fault_names_it(state, end, ename, headline):
    """Programs that look at errors end themselves, others use what they did not get: the cause is the kernel and its line."""
    if end == "throw_it();":
        state.session.run(THROW).ok()
    result = state.session.run(f"fill<<<4, 256>>>(device + (1 << 28), 1024);\ncudaDeviceSynchronize();\n{end}")
    shown = result.traceback
    assert result.ename == ename and result.evalue.startswith(headline), result.shown
    assert "Before that the device had failed, and all calls after it failed, too:\ncudaErrorIllegalAddress: " in shown, shown
    assert ", in the CUDA kernel fill, line " in shown and "out of bounds" in shown, shown
    assert "by thread (" in shown, shown
    state.assert_untouched()
