# SPDX-License-Identifier: Apache-2.0
"""What people lose elsewhere when a cell crashes: the scenarios of these names, one test each."""
import os
import signal
import subprocess
import sys

import cuda_code
import pytest

from session import DEADLINE, alive, marked_processes, wait_until

CRASHES = {
    "SIGSEGV": ("SegmentationFault", "*(volatile int *)0 = 1;"),
    "SIGABRT": ("Aborted", "abort();"),
    "SIGFPE": ("ArithmeticFault", "volatile int zero = 0; zero = 7 / zero;"),
    "SIGILL": ("IllegalInstruction", "__builtin_trap();"),
}


@pytest.mark.parametrize("signal", CRASHES)
def test_a10_a_crash_gives_signal_line_backtrace_and_the_last_of_stderr(state, spoil, signal):
    ename, crash = CRASHES[signal]
    state.session.run(f"void crash_{signal}(int depth)\n{{\n    if (depth)\n        crash_{signal}(depth - 1);\n"
                      f"    else {{\n        {crash}\n    }}\n}}").ok()
    result = state.session.run(spoil + f'fprintf(stderr, "about to fail");\ncrash_{signal}(3);')
    assert result.stderr == "about to fail"
    assert signal in result.traceback, result.shown
    frames = [line for line in result.traceback.splitlines() if line.startswith("In[")]
    assert f"line 6, in crash_{signal}(" in frames[0] and frames[-1].endswith("line 3"), result.traceback
    assert result.reply["status"] == "error" and result.errors == 1
    state.assert_fault(result, ename, 6)


def test_a10_a_cell_over_the_memory_limit_is_an_error_with_its_output(start_kernel):
    session = start_kernel()
    session.run("#include <stdio.h>\n#include <sys/mman.h>\n#include <string.h>\nint kept = 42;").ok()
    session.run("%limit ram 512M").ok()
    result = session.run('kept = 0; fprintf(stderr, "about to fill memory");\n'
                         "for (;;) { void *p = mmap(NULL, 16 << 20, PROT_READ | PROT_WRITE, "
                         "MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); memset(p, 1, 16 << 20); }")
    assert result.ename == "OutOfMemory", result.shown
    assert result.stderr == "about to fill memory" and result.errors == 1
    assert "line 2" in result.evalue and " ->   2 | " in result.traceback, result.shown
    assert session.run("kept").ok().text == "42"


@pytest.mark.parametrize("end", ["*(volatile int *)0 = 1;", "abort();", "_exit(1);", "raise(SIGKILL);",
                                 "__builtin_trap();"])
def test_a17_the_last_bytes_before_a_crash_are_delivered(state, end):
    result = state.session.run('#include <signal.h>\n#include <unistd.h>\nfor (int i = 0; i < 20000; i++) '
                               'printf("line %d\\n", i);\nprintf("no newline"); fprintf(stderr, "to stderr");\n'
                               'write(1, "raw", 3);\n' + end)
    assert result.status == "error"
    assert result.stdout.startswith("line 0\nline 1\n") and "line 19999\nno newline" in result.stdout
    assert "raw" in result.stdout and result.stderr == "to stderr"
    state.assert_untouched()


def test_a17_what_is_printed_is_seen_while_the_cell_runs(state):
    cell = state.session.start('printf("progress"); for (volatile long i = 0; ; i++) ;')
    cell.wait_output("progress")
    state.session.interrupt()
    assert cell.wait().ename == "Interrupted"
    state.assert_untouched()


def test_a22_every_crash_is_answered_and_the_next_cell_runs(state):
    for _, crash in CRASHES.values():
        pending = [state.session.start(code) for code in (crash, "40 + 2")]
        assert pending[0].wait().reply["status"] == "error"
        assert pending[1].wait().reply["status"] in ("aborted", "ok")  # sent before or after the error was known
        assert state.session.run("40 + 2").ok().text == "42"
    state.assert_untouched()


TRAINING = """
#include <assert.h>
__global__ void step(float *weights, int n, int label)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(label < 10);
    if (i < n)
        weights[i] = weights[i] * 0.5f + label;
}
float *weights, host_copy[4096];
int epoch;
cudaMalloc(&weights, 4096 * sizeof(float));
cudaMemset(weights, 0, 4096 * sizeof(float));
"""

EPOCH = "for (int k = 0; k < 20; k++) step<<<16, 256>>>(weights, 4096, k % 10);\n" \
    "epoch++; cudaMemcpy(host_copy, weights, sizeof(host_copy), cudaMemcpyDeviceToHost);"

CHECKSUM = """unsigned long sum = epoch;
float now[4096];
cudaMemcpy(now, weights, sizeof(now), cudaMemcpyDeviceToHost);
for (int i = 0; i < 4096; i++)
    sum = (sum ^ *(unsigned *)&now[i] ^ *(unsigned *)&host_copy[i]) * 1099511628211u;
printf("%lx %p %p", sum, (void *)weights, (void *)host_copy);"""


@pytest.mark.cuda
def test_a4_after_a_cuda_assert_host_and_device_are_bit_for_bit_as_before_the_cell(fresh_kernel):
    fresh_kernel.run("#include <stdio.h>").ok()
    fresh_kernel.run(TRAINING).ok()
    for _ in range(3):
        fresh_kernel.run(EPOCH).ok()
    before = fresh_kernel.run(CHECKSUM).ok().stdout
    result = fresh_kernel.run("epoch = 100; host_copy[5] = -1;\n" + EPOCH + "\nstep<<<16, 256>>>(weights, 4096, 10);\n"
                              "cudaDeviceSynchronize();")
    assert result.ename == "CudaAssert" and "label < 10" in result.shown, result.shown
    assert fresh_kernel.run(CHECKSUM).ok().stdout == before
    fresh_kernel.run(EPOCH).ok()
    assert fresh_kernel.run("epoch").ok().text == "4"


ENDLESS = {
    "spinning": "__global__ void spin(volatile float *p) { for (;;) p[0] += 1; }\n"
                'printf("on"); fflush(stdout); spin<<<1, 1>>>(device); cudaDeviceSynchronize();',
    "hung": 'inject("launch=hang"); printf("on"); fflush(stdout); fill<<<1, 32>>>(device, 32);',
}


@pytest.mark.cuda
@pytest.mark.parametrize("kind", cuda_code.marked(ENDLESS))
def test_a13_an_interrupt_ends_an_endless_entry_and_the_state_is_back(state, spoil, inject_cell, kind):
    session = state.session
    session.run(inject_cell).ok()
    cell = session.start(spoil + ENDLESS[kind]).wait_output("on")
    session.interrupt()
    result = cell.wait()
    assert state.fingerprint() == state.first
    assert result.ename in ("Interrupted", "CudaLaunchTimeout"), result.shown
    assert "rolled back" in result.traceback, result.shown
    state.assert_untouched()


BUSY = {
    "a CUDA kernel": "__global__ void spin(volatile int *p) { for (;;) p[0] += 1; }\nint *d; cudaMalloc(&d, 4);\n"
                     'printf("on"); fflush(stdout); spin<<<1, 1>>>(d); cudaDeviceSynchronize();',
    "a child": 'if (!fork()) { setsid(); for (;;) pause(); }\nprintf("on"); fflush(stdout); for (;;) ;',
    "a program": 'printf("on"); fflush(stdout); system("sleep 1000 & sleep 1000");',
}


@pytest.mark.parametrize("kind", cuda_code.marked(BUSY))
def test_a14_a_kill_of_the_kernel_leaves_no_process(start_kernel, mark, kind):
    session = start_kernel()
    session.run("#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>").ok()
    session.start(BUSY[kind]).wait_output("on")
    mine = {p.pid for p in session.children()} | {session.pid}
    session.kill(session.pid)
    assert wait_until(lambda: not any(map(alive, mine))), [p for p in marked_processes(mark) if p[0] in mine]


@pytest.mark.cuda
def test_a14_a_kill_in_the_middle_of_a_compilation_by_nvcc_leaves_no_process(start_kernel, nvcc):
    session = start_kernel(PATH=f"{os.path.dirname(nvcc)}:{os.environ['PATH']}")
    session.start("%%cuda\n#include <thrust/sort.h>\n#include <thrust/device_vector.h>\nint main() { return 0; }").wait_busy()
    found = []

    def compiles():
        found[:] = [p.pid for p in session.children()]
        return any(name in ("cudafe++", "cicc", "nvcc", "cc1plus") for name in map(command_of, found))

    assert wait_until(compiles)
    mine = {*found, session.pid}
    session.kill(session.pid)
    assert wait_until(lambda: not any(map(alive, mine))), [(p, command_of(p)) for p in mine if alive(p)]


def command_of(pid):
    try:
        with open(f"/proc/{pid}/comm") as f:
            return f.read().strip()
    except OSError:
        return ""


SERVER = """
import sys
sys.path[:0] = sys.argv[1:3]
from session import Session
import pathlib
session = Session(pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4]), "tcp", {"HOME": sys.argv[4]})
session.run("#include <stdio.h>\\nint *d; cudaMalloc(&d, 1 << 20);").ok()
session.start('printf("on"); fflush(stdout); for (;;) ;').wait_output("on")
print(session.pid, *[p.pid for p in session.children()], flush=True)
input()
"""


@pytest.mark.cuda
def test_a14_a_kill_of_the_server_ends_its_kernels(root, prefix, tmp_path):
    """The launcher dies: what it has started sees that, and gives the device back."""
    server = subprocess.Popen([sys.executable, "-c", SERVER, str(root / "tests"), str(root), str(prefix), str(tmp_path)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    pids = list(map(int, server.stdout.readline().split()))
    assert len(pids) >= 3
    server.send_signal(signal.SIGKILL)
    server.wait(DEADLINE)
    assert wait_until(lambda: not any(map(alive, pids))), [(p, command_of(p)) for p in pids if alive(p)]
    server.stdin.close()
    server.stdout.close()
