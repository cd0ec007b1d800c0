# SPDX-License-Identifier: Apache-2.0
"""Each way in which host code of a cell can fail: the error says what and where, state is as before the cell."""
import cuda_code
import pytest

# name: (ename, line of the fault, words of the message, cell; its first line spoils the state)
FAULTS = {
    "null pointer": ("SegmentationFault", 3, ["null"], """
int *p = NULL;
*(volatile int *)p = 1;"""),
    "wild pointer": ("SegmentationFault", 2, ["0x123456789000"], """
*(volatile int *)0x123456789000 = 1;"""),
    "far outside a block": ("SegmentationFault", 3, ["block"], """
volatile char *block = malloc(100);
block[1ull << 38] = 1;"""),
    "device pointer on the host": ("SegmentationFault", 2, ["device"], """
*(volatile float *)&device[3] = 1;"""),
    "stack overflow": ("StackOverflow", None, ["stack"], """
int down(int n)
{
    volatile char pad[4096];
    pad[0] = n;
    return down(n + 1) + pad[0];
}
down(0);"""),
    "division by zero": ("ArithmeticFault", 4, ["division"], """
volatile int zero = 0;
volatile int q;
q = numbers[3] / zero;"""),
    "abort": ("Aborted", 2, ["abort"], """
abort();"""),
    "failed assertion": ("Aborted", None, ["numbers[3] == 4"], """
#include <assert.h>
assert(numbers[3] == 4);"""),
    "exit": ("CellExited", None, ["3"], """
exit(3);"""),
    "_exit": ("CellExited", None, ["4"], """
#include <unistd.h>
_exit(4);"""),
    "double free": ("HeapMisuse", 4, ["free"], """
char *twice = malloc(32);
free(twice);
free(twice);"""),
    "free of what malloc never gave": ("HeapMisuse", 2, ["free"], """
free(&numbers[3]);"""),
    "illegal instruction": ("IllegalInstruction", 2, [], """
__asm__ volatile("ud2");"""),
    "killed by itself": ("WorkerKilled", None, ["9"], """
#include <signal.h>
#include <unistd.h>
kill(getpid(), SIGKILL);"""),
    "in a function of an earlier cell": ("SegmentationFault", None, ["mix"], """
mix(0, NULL, 1000);"""),
}


@pytest.mark.parametrize("name", cuda_code.marked(FAULTS, "device pointer on the host"))
def test_fault_is_an_error_and_state_is_kept(state, spoil, name):
    ename, line, words, cell = FAULTS[name]
    result = state.session.run(spoil.strip() + cell)
    state.assert_fault(result, ename, line, *words)


def test_output_before_the_crash_is_delivered(state):
    result = state.session.run('printf("last words, no newline");\n*(volatile int *)NULL = 1;')
    assert result.stdout == "last words, no newline"
    state.assert_fault(result, "SegmentationFault", 2)


def test_host_memory_over_its_limit(state, spoil):
    state.session.run("%limit ram 256M").ok()
    result = state.session.run(spoil.strip() + """
for (;;) {
    struct node *n = malloc(1 << 20);
    memset(n, 1, 1 << 20);
    n->next = list;
    list = n;
}""")
    state.session.run("%limit ram off").ok()
    state.assert_fault(result, "OutOfMemory", None, "256")


def test_many_faults_in_a_row(state):
    for _ in range(60):
        result = state.session.run("numbers[1] = 77;\n*(volatile int *)NULL = 1;")
        assert result.ename == "SegmentationFault" and "cannot be killed" not in result.traceback, result.shown
    state.assert_untouched()


def test_the_reader_sees_the_values_from_before(fresh_kernel):
    fresh_kernel.run("int kept = 42;\nint *block = malloc(4 * sizeof(int));\nblock[3] = 7;").ok()
    address = fresh_kernel.run("block").ok().text
    assert fresh_kernel.run("kept = 0; block[3] = 0; free(block);\n*(volatile int *)0 = 0;").status == "error"
    assert fresh_kernel.run("kept").ok().text == "42"
    assert fresh_kernel.run("block[3]").ok().text == "7"
    assert fresh_kernel.run("block").ok().text == address


def test_a_failed_cell_declares_nothing(fresh_kernel):
    assert fresh_kernel.run("int lost = 1;\n*(volatile int *)0 = 0;").status == "error"
    assert fresh_kernel.run("lost").ename == "CompileError"
    fresh_kernel.run("double lost = 2.5;").ok()
    assert fresh_kernel.run("lost").ok().text == "2.5"
