# SPDX-License-Identifier: Apache-2.0
"""What people lose elsewhere when a cell crashes: the scenarios of these names, one test each."""
import pytest

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


def test_a4_after_a_cuda_assert_host_and_device_are_bit_for_bit_as_before_the_cell(fresh_kernel):
    fresh_kernel.run("#include <stdio.h>").ok()
    fresh_kernel.run(TRAINING).ok()
    for _ in range(3):
        fresh_kernel.run(EPOCH).ok()
    before = fresh_kernel.run(CHECKSUM).ok().stdout
    result = fresh_kernel.run("epoch = 100; host_copy[5] = -1;\n" + EPOCH + "\nstep<<<16, 256>>>(weights, 4096, 10);\n"
                              "cudaDeviceSynchronize();")
    assert result.ename == "CudaAssert" and "label < 10" in result.traceback, result.shown
    assert fresh_kernel.run(CHECKSUM).ok().stdout == before
    fresh_kernel.run(EPOCH).ok()
    assert fresh_kernel.run("epoch").ok().text == "4"
