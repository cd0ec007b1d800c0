# SPDX-License-Identifier: Apache-2.0
"""Interrupts: the cell ends and is rolled back, %redo brings back what it did so far, and the next cell runs."""
import pytest

from session import DEADLINE, marked_processes, wait_until

PRINT = 'printf("running\\n"); fflush(stdout);\n'

CELLS = {
    "busy loop": "for (volatile int i = 0; ; i++) ;",
    "sleep": "#include <unistd.h>\nsleep(1000);",
    "malloc loop": "for (;;) free(malloc(100));",
    "printing loop": 'for (;;) printf("%d\\n", numbers[3]);',
    "read of standard input that never comes": "#include <unistd.h>\nint ends[2]; pipe(ends); read(ends[0], ends, 1);",
}


@pytest.mark.parametrize("name, loop", [
    ("unwound", CELLS["busy loop"]),
    # no signal reaches this one: its worker is stopped, its memory is read, and another worker goes on
    ("stopped", "#include <signal.h>\n#include <sys/syscall.h>\nunsigned long every = ~0ul;\n"
    "syscall(SYS_rt_sigprocmask, SIG_BLOCK, &every, NULL, 8);\n" + CELLS["busy loop"]),
], ids=["unwound", "stopped"])
def test_variables_of_an_interrupted_cell_come_back_with_it(state, name, loop):
    session = state.session
    cell = session.start(f"int {name} = 77;\n" + PRINT + loop).wait_output("running")
    session.interrupt()
    result = cell.wait()
    assert result.ename == "Interrupted" and f"`%redo` brings: {name}" in result.shown, result.shown
    assert name not in session.run("%whos").ok().printed
    session.run("%redo").ok()
    assert name in session.run("%whos").ok().printed
    assert session.run(name).ok().text == "77"
    state.assert_untouched()


@pytest.mark.parametrize("name", CELLS)
def test_an_interrupted_cell_is_rolled_back_and_brought_back(state, name):
    session = state.session
    for keeps in (False, True):
        cell = session.start("numbers[500] = 12345;\n" + PRINT + CELLS[name]).wait_output("running")
        session.interrupt()
        result = cell.wait()
        assert (result.status, result.ename) == ("error", "Interrupted"), result.shown
        assert "rolled back" in result.shown and "`%redo` changes: numbers" in result.shown, result.shown
        if keeps:
            session.run("%redo").ok()
            assert session.run("numbers[500]").ok().text == "12345"
            session.run("%undo 2").ok()
    state.assert_untouched()


@pytest.mark.parametrize("name", CELLS)
def test_interrupt_keep(state, name):
    session = state.session
    cell = session.start("%interrupt keep\nnumbers[500] = 12345;\n" + PRINT + CELLS[name]).wait_output("running")
    session.interrupt()
    result = cell.wait()
    assert result.ename == "Interrupted" and "so far is kept" in result.shown, result.shown
    assert session.run("%interrupt back\nnumbers[500]").ok().text == "12345"
    session.run("numbers[500] = 500 * 500;").ok()
    state.assert_untouched()


CONTAINERS = r"""%%cpp
#include <map>
#include <mutex>
#include <string>
#include <vector>
std::map<int, std::string> names;
std::vector<std::string> list;
std::mutex door;
void churn(unsigned i) {
    std::lock_guard<std::mutex> in(door);
    names[i * 2654435761u % 1000] = std::string(i % 300, 'a' + i % 26);
    if (i % 3 == 0)
        names.erase(names.begin());
    list.push_back(names.begin()->second);
    if (list.size() > 500)
        list.clear();
}
for (unsigned i = 0; i < 5000; i++) churn(i);
size_t sum() {
    size_t n = list.size();
    for (auto &[key, value] : names) n = n * 31 + key * 7 + value.size() + (value.empty() ? 0 : value.back());
    for (auto &s : list) n = n * 31 + s.size();
    return n;
}"""


def test_containers_and_locks_are_never_half_done(fresh_kernel):
    """Each interrupt falls into another instruction."""
    run = fresh_kernel.run
    run(CONTAINERS).ok()
    before = run("%%cpp\nsum()").ok().text
    for i in range(12):
        cell = fresh_kernel.start(f'%%cpp\nputs("running"); fflush(stdout); for (unsigned i = {i};; i++) churn(i);'
                                  ).wait_output("running")
        fresh_kernel.interrupt()
        assert cell.wait().ename == "Interrupted"
        result = run("%%cpp\nint free_again = door.try_lock(); if (free_again) door.unlock(); sum() * free_again")
        assert result.ok().text == before


def test_redo_and_undo_after_each_other(fresh_kernel):
    run = fresh_kernel.run
    run("int n = 1; char *block = NULL;").ok()
    run("n = 2; block = (char *)calloc(3 << 20, 1); block[2 << 20] = 5; int twice(void) { return 2 * n; }").ok()
    for _ in range(3):
        result = run("%undo").ok()
        assert "As before: n, block" in result.stdout and "twice()" in result.stdout, result.stdout
        result = run("%redo").ok()
        assert "As it left them: n, block" in result.stdout and "twice()" in result.stdout, result.stdout
    assert run("twice() * 10 + block[2 << 20]").ok().text == "45"
    run("%undo 2").ok()
    assert run("%redo").ok()
    assert run("twice()").ok().text == "4"
    run("%undo 2").ok()
    assert run("n").ok().text == "1"
    result = run("%redo")
    assert result.status == "error" and "until the next cell runs" in result.shown, result.shown


def test_what_is_too_large_is_not_set_aside_and_says_so(start_kernel):
    session = start_kernel(CGPU_UNDO="8M")
    session.run("char *block = (char *)malloc(32 << 20); memset(block, 1, 32 << 20);").ok()
    cell = session.start("memset(block, 2, 32 << 20);\n" + PRINT + CELLS["busy loop"]).wait_output("running")
    session.interrupt()
    result = cell.wait()
    assert "not set aside: it is more than --undo keeps" in result.shown, result.shown
    assert session.run("(int)block[5]").ok().text == "1"
    result = session.run("%redo")
    assert result.status == "error" and "nothing to bring back" in result.shown, result.shown
    session.close()


DEVICE = """__global__ void add(int *p, int n) { p[threadIdx.x] += n; }
int *old, *more;
cudaMalloc(&old, 4096); cudaMemset(old, 0, 4096);"""
LOOK = "int at[2] = {0}; cudaMemcpy(at, old, 4, cudaMemcpyDefault); %s at[0] * 100 + at[1]"


@pytest.mark.cuda
@pytest.mark.parametrize("death", [False, True], ids=["", "worker killed"])
def test_device_memory_is_rolled_back_and_brought_back(fresh_kernel, death):
    run = fresh_kernel.run
    run(DEVICE).ok()
    cell = fresh_kernel.start("cudaMalloc(&more, 8 << 20); cudaMemset(more, 0, 64);"
                              "add<<<1, 32>>>(old, 7); add<<<1, 32>>>(old, 1);"
                              "add<<<1, 32>>>(more, 9); cudaDeviceSynchronize();\n" + PRINT + CELLS["busy loop"]
                              ).wait_output("running")
    fresh_kernel.interrupt()
    result = cell.wait()
    assert "of device memory" in result.shown and "`%redo` changes: more" in result.shown, result.shown
    if death:
        for pid in fresh_kernel.workers():
            fresh_kernel.kill(pid)
    more = "cudaMemcpy(at + 1, more, 4, cudaMemcpyDefault);"
    for _ in range(2):
        run("%redo").ok()
        run("%undo").ok()
    run("%redo").ok()
    assert run(LOOK % more).ok().text == "809"
    run("%undo 2").ok()
    assert run(LOOK % "").ok().text == "0"


@pytest.mark.cuda
def test_endless_entry_is_rolled_back_and_says_so(state, spoil):
    session = state.session
    cell = session.start(spoil + "__global__ void endless(volatile float *p) { for (;;) p[0] += 1; }\n" + PRINT +
                         "endless<<<1, 1>>>(device);\ncudaDeviceSynchronize();").wait_output("running")
    session.interrupt()
    state.assert_fault(cell.wait(), "Interrupted", None, "rolled back")


def test_interrupt_when_nothing_runs(state):
    state.session.interrupt()
    state.assert_untouched()


def test_interrupt_many_times(state):
    session = state.session
    cell = session.start(PRINT + CELLS["busy loop"]).wait_output("running")
    session.interrupt(times=5)
    assert cell.wait().ename == "Interrupted"
    state.assert_untouched()


def test_fork_bomb_stays_small_and_ends(start_kernel, mark):
    session = start_kernel()
    session.run("#include <stdio.h>\n#include <unistd.h>\nint before = 41;").ok()
    usual = len(marked_processes(mark))
    cell = session.start("before = 0; printf(\"running\\n\"); fflush(stdout);\nfor (;;) fork();").wait_output("running")
    result = cell.wait()
    assert result.ename == "ProcessLimit", result.shown
    assert wait_until(lambda: len(marked_processes(mark)) <= usual + 1), marked_processes(mark)
    assert session.run("1 + 1").ok().text == "2"


def test_the_kernel_answers_while_a_cell_runs(state):
    session = state.session
    cell = session.start(PRINT + CELLS["busy loop"]).wait_output("running")
    assert session.ask("kernel_info")["status"] == "ok"
    assert "numbers" in session.ask("complete", "numb", 4)["matches"]
    assert session.ask("is_complete", "int f(")["status"] == "incomplete"
    assert session.client.is_alive()
    session.interrupt()
    assert cell.wait().ename == "Interrupted"
    state.assert_untouched()
