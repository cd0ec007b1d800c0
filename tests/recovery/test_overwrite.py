# SPDX-License-Identifier: Apache-2.0
"""Large blocks that cells overwrite as a whole: from the second time on a cell writes them where they lie, and nobody can
tell the difference but by the clock."""
import re
import signal

import pytest

from session import wait_until

SIZE = 16 << 20
COPIES = "copies of what cells overwrite"

DEFINITIONS = f"""
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {{ SIZE = {SIZE} }};

void fill(uint64_t *p, uint64_t from)
{{
    for (size_t i = 0; i < SIZE / 8; i++)
        p[i] = from + i;
}}

/* How many words are not what fill() wrote. */
size_t wrong(const uint64_t *p, uint64_t from)
{{
    size_t n = 0;
    for (size_t i = 0; i < SIZE / 8; i++)
        n += p[i] != from + i;
    return n;
}}

uint64_t *big = malloc(SIZE), *other = malloc(SIZE);
int small = 1;
fill(big, 1);
fill(other, 2);
"""


@pytest.fixture
def fresh_kernel(start_kernel):
    """Nothing is saved by itself: meanwhile these blocks are copied as all others, so that the snapshot can follow."""
    session = start_kernel(CGPU_AUTOSAVE="0")
    yield session
    session.close()


@pytest.fixture
def run(fresh_kernel):
    fresh_kernel.run(DEFINITIONS).ok()
    return fresh_kernel.run


def overwritten_in_place(run):
    """The kernel has a copy of `big`: two cells have overwritten it. A commit then copies nothing of it."""
    run("fill(big, 10);").ok()
    run("fill(big, 11);").ok()
    assert COPIES in run("%mem").ok().shown
    assert copied(run("%time fill(big, 12);").ok()) < 1000


def copied(result):
    """kB that the commit copied."""
    return int(re.search(r"commit [\d.]+ ms \((\d+) kB\)", result.stdout).group(1))


def is_filled(run, value, name="big"):
    assert run(f"wrong({name}, {value})").ok().text == "0"


def test_a_fault_after_all_of_it(run):
    overwritten_in_place(run)
    failed = run("fill(big, 13); small = 2;\n*(volatile int *)0 = 1;")
    assert failed.ename == "SegmentationFault" and "rolled back: variables" in failed.traceback, failed.traceback
    is_filled(run, 12)
    assert run("small").ok().text == "1"
    is_filled(run, 2, "other")


@pytest.mark.parametrize("end", ["kill(getpid(), 9)", "exit(3)", "abort()", "free(big); free(big)"])
def test_other_ends(run, end):
    overwritten_in_place(run)
    assert run(f"fill(big, 13);\n{end};").status == "error"
    is_filled(run, 12)
    run("fill(big, 14);").ok()
    is_filled(run, 14)


def test_a_fault_after_half_of_it(run):
    overwritten_in_place(run)
    assert run("memset(big, 7, SIZE / 2 + 5000);\nabort();").ename == "Aborted"
    is_filled(run, 12)
    run("big[3] = 99;").ok()
    assert run("wrong(big, 12)").ok().text == "1"


def test_several_faults_in_a_row(run):
    overwritten_in_place(run)
    for n in range(3):
        assert run(f"fill(big, {20 + n});\nabort();").ename == "Aborted"
    is_filled(run, 12)


def test_cells_that_only_read(run):
    overwritten_in_place(run)
    for _ in range(5):
        is_filled(run, 12)
    assert COPIES not in run("%mem").ok().shown  # nobody makes use of it
    run("fill(big, 13);").ok()
    assert run("fill(big, 14);\nabort();").ename == "Aborted"
    is_filled(run, 13)


def test_two_blocks_of_which_one_is_freed(run):
    overwritten_in_place(run)
    run("fill(other, 20);").ok()
    run("fill(other, 21); fill(big, 13);").ok()
    run("fill(big, 14); free(other); other = NULL;").ok()
    assert run("fill(big, 15);\nabort();").ename == "Aborted"
    is_filled(run, 14)
    run("uint64_t *third = malloc(SIZE); fill(third, 30); fill(big, 16);").ok()
    assert run("fill(third, 31); fill(big, 17);\nabort();").ename == "Aborted"
    is_filled(run, 30, "third")
    is_filled(run, 16)


def test_a_cell_that_frees_it_and_fails(run):
    overwritten_in_place(run)
    assert run("free(big); big = malloc(SIZE); fill(big, 13);\nabort();").ename == "Aborted"
    is_filled(run, 12)


def test_realloc(run):
    overwritten_in_place(run)
    failed = run("fill(big, 13); big = realloc(big, 2 * SIZE); memset(big + SIZE / 8, 1, SIZE);\nabort();")
    assert failed.ename == "Aborted"
    is_filled(run, 12)
    run("big = realloc(big, 2 * SIZE); fill(big + SIZE / 8, 40);").ok()
    is_filled(run, 12)
    assert run("fill(big, 14); fill(big + SIZE / 8, 41); big = realloc(big, SIZE / 2);\nabort();").ename == "Aborted"
    is_filled(run, 12)
    assert run("wrong(big + SIZE / 8, 40)").ok().text == "0"


def test_undo_over_it(run):
    overwritten_in_place(run)
    run("fill(big, 13); small = 3;").ok()
    assert "Taken back" in run("%undo").ok().shown
    is_filled(run, 12)
    assert run("small").ok().text == "1"
    run("fill(big, 14);").ok()
    run("fill(big, 15);").ok()
    assert "Taken back" in run("%undo 2").ok().shown
    is_filled(run, 12)


def test_undo_keeps_only_what_has_changed(run):
    """Cells that leave it alone can be taken back one by one, though the block is large."""
    overwritten_in_place(run)
    for n in range(12):
        run(f"small = {n}; big[1000] = {n};").ok()
    assert "Taken back" in run("%undo 10").ok().shown
    assert run("small * 100 + big[1000]").ok().text == "101"


def test_a_checkpoint_in_it(run):
    overwritten_in_place(run)
    failed = run("fill(big, 13);\ncgpu_checkpoint();\nfill(big, 14); small = 5;\nabort();")
    assert failed.ename == "Aborted" and "checkpoint in line 2" in failed.traceback, failed.traceback
    is_filled(run, 13)
    run("fill(big, 15); cgpu_checkpoint(); fill(big, 16);").ok()
    is_filled(run, 16)
    run("fill(big, 17);").ok()
    assert "Taken back" in run("%undo").ok().shown
    is_filled(run, 16)


def test_undo_over_a_checkpoint(run):
    overwritten_in_place(run)
    run("fill(big, 13); cgpu_checkpoint(); memset(big, 1, 100);").ok()
    assert "Taken back" in run("%undo").ok().shown
    is_filled(run, 12)


def test_an_interrupt_in_it(fresh_kernel, run):
    overwritten_in_place(run)
    pending = fresh_kernel.start('fill(big, 13); puts("written"); for (;;) small = 7;').wait_output("written\n")
    fresh_kernel.interrupt()
    assert pending.wait().ename == "Interrupted"
    is_filled(run, 12)
    overwritten_in_place(run)
    pending = fresh_kernel.start('fill(big, 13); puts("written"); for (;;) small = 7;').wait_output("written\n")
    fresh_kernel.interrupt()
    assert pending.wait().ename == "Interrupted"
    run("%redo").ok()
    is_filled(run, 13)
    assert run("fill(big, 14);\nabort();").ename == "Aborted"
    is_filled(run, 13)


def test_a_stopped_worker(fresh_kernel, run):
    """Inside of Linux, with its signals blocked: the kernel commits what is there, and a new worker goes on."""
    run("%interrupt keep").ok()
    overwritten_in_place(run)
    pending = fresh_kernel.start('#include <signal.h>\nfill(big, 13); small = 8; sigset_t all; sigfillset(&all); '
                                 'sigprocmask(SIG_SETMASK, &all, NULL); puts("written"); for (;;) pause();'
                                 ).wait_output("written\n")
    fresh_kernel.interrupt()
    assert pending.wait().ename == "Interrupted"
    is_filled(run, 13)
    assert run("small").ok().text == "8"
    assert run("fill(big, 14);\nabort();").ename == "Aborted"
    is_filled(run, 13)


def test_a_child_sees_what_was_at_its_fork(run):
    overwritten_in_place(run)
    run("int to[2]; pipe(to); fill(big, 13);\n"
        "pid_t p = fork();\n"
        "if (!p) { char c; read(to[0], &c, 1); int n = wrong(big, 13) != 0; memset(big, 9, SIZE); _exit(n); }\n"
        "fill(big, 14); write(to[1], \"x\", 1); int status; waitpid(p, &status, 0);").ok()
    assert run("status").ok().text == "0"
    is_filled(run, 14)
    assert run("fill(big, 15);\nabort();").ename == "Aborted"
    is_filled(run, 14)


def test_a_child_behind_our_back_reaches_nothing(run):
    overwritten_in_place(run)
    """A process that no fork() of ours has made has the block no more; its fault is its own."""
    r = run("fill(big, 13); pid_t q = syscall(SYS_fork); if (!q) { memset(big, 9, SIZE); syscall(SYS_exit_group, 0); }\n"
            "int how = 0; waitpid(q, &how, 0);\nWTERMSIG(how)").ok()
    assert r.text == str(int(signal.SIGSEGV))
    is_filled(run, 13)


def test_a_thread_writes_a_part_of_it(run):
    overwritten_in_place(run)
    run("void *half(void *p) { memset(p, 5, SIZE / 2); return NULL; }").ok()
    run("pthread_t t; pthread_create(&t, NULL, half, big); pthread_join(t, NULL);").ok()
    assert run("pthread_create(&t, NULL, half, (char *)big + SIZE / 2); pthread_join(t, NULL);\nabort();").ename == "Aborted"
    assert run("((char *)big)[SIZE / 2 - 1] * 10 + (big[SIZE / 16] == 12 + SIZE / 16)").ok().text == "51"


def test_a_thread_that_lives_on(run):
    """It goes on writing between cells, also while the kernel brings its copy up to date."""
    overwritten_in_place(run)
    run("_Atomic int stop; void *count(void *p) { for (uint64_t n = 0; !stop; n++) for (size_t i = 0; i < SIZE / 8; i += 512) "
        "((volatile uint64_t *)p)[i] = n; return NULL; }").ok()
    run("fill(big, 13); pthread_t t; pthread_create(&t, NULL, count, big);").ok()
    for n in range(4):
        run(f"small = {n}; big[1] = {n};").ok()
    run("stop = 1; pthread_join(t, NULL); uint64_t last = big[0];").ok()
    assert run("big[0] == last && big[1] == 3").ok().text == "1"
    assert run("memset(big, 1, SIZE);\nabort();").ename == "Aborted"
    assert run("big[0] == last && big[1] == 3 && big[511] == 13 + 511").ok().text == "1"


def test_a_worker_that_dies_between_cells(fresh_kernel, run):
    overwritten_in_place(run)
    fresh_kernel.kill(fresh_kernel.worker_pid())
    is_filled(run, 12)
    run("fill(big, 13);").ok()
    assert run("fill(big, 14);\nabort();").ename == "Aborted"
    is_filled(run, 13)


def test_a_global_array(run):
    run(f"static char table[{SIZE}];\nmemset(table, 1, sizeof(table));").ok()
    run("memset(table, 2, sizeof(table));").ok()
    run("memset(table, 3, sizeof(table));").ok()
    assert run("memset(table, 4, sizeof(table)); small = 4;\nabort();").ename == "Aborted"
    assert run("table[0] * 100 + table[sizeof(table) - 1] * 10 + small").ok().text == "331"


def test_with_nosnapshot(run):
    overwritten_in_place(run)
    run("%%nosnapshot\nfill(big, 13);").ok()
    assert run("fill(big, 14);\nabort();").ename == "Aborted"
    is_filled(run, 13)


def test_a_checked_cell(run):
    overwritten_in_place(run)
    run("%%memcheck\nfill(big, 13);")
    is_filled(run, 12)


def test_snapshots_and_reset(run):
    overwritten_in_place(run)
    run("%snapshot save here").ok()
    run("fill(big, 13);").ok()
    run("%snapshot load here").ok()
    is_filled(run, 12)
    assert run("fill(big, 14);\nabort();").ename == "Aborted"
    is_filled(run, 12)
    run("%reset -f").ok()
    run(DEFINITIONS).ok()
    is_filled(run, 1)


def test_a_small_limit_leaves_no_room(run):
    run("%limit ram 70M").ok()
    run("fill(big, 10);").ok()
    run("fill(big, 11);").ok()
    assert COPIES not in run("%mem").ok().shown
    assert run("fill(big, 12);\nabort();").ename == "Aborted"
    is_filled(run, 11)


def test_a_limit_that_comes_later(run):
    """A copy is given up when the session has no room for it any more."""
    overwritten_in_place(run)
    run("%limit ram 50M").ok()
    run("small = 1;").ok()
    assert COPIES not in run("%mem").ok().shown
    run("char *more = malloc(12 << 20); memset(more, 1, 12 << 20);").ok()
    is_filled(run, 12)


def test_undo_over_a_cell_after_some_that_only_read(run):
    overwritten_in_place(run)
    for n in range(3):
        run(f"small = {n};").ok()
    run("fill(big, 13);").ok()
    assert "Taken back" in run("%undo").ok().shown
    is_filled(run, 12)


def test_a_process_of_a_cell_keeps_its_memory(start_kernel, tmp_path):
    """It goes on while later cells are committed, with what its cell has allocated before and with code of it."""
    session = start_kernel()
    said, go = tmp_path / "said", tmp_path / "go"
    session.run("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>").ok()
    session.run(f"""int *fresh = malloc(3 << 20), *large = malloc(20 << 20), mine = 5;
for (int i = 0; i < 3 << 18; i++) fresh[i] = i;
for (int i = 0; i < 5 << 20; i++) large[i] = i;
static long sum(void) {{ long s = 0; for (int i = 0; i < 3 << 18; i++) s += fresh[i] - large[i]; return s + mine; }}
if (fork() == 0) {{
    while (access("{go}", F_OK))
        usleep(1000);
    FILE *f = fopen("{said}.new", "w");
    fprintf(f, "%ld", sum());
    fclose(f);
    rename("{said}.new", "{said}");
    _exit(0);
}}""").ok()
    for n in range(3):
        session.run(f"memset(fresh, {n}, 3 << 20); mine = {n}; free(large); large = malloc(20 << 20);"
                    "memset(large, 1, 20 << 20);").ok()
    go.touch()
    assert wait_until(said.exists)
    assert said.read_text() == "5"
    assert session.run("mine * 10 + fresh[7] % 3").ok().text == str(20 + 0x02020202 % 3)
    session.run("if (fork() == 0) _exit(0);\nmine = 77;\n*(volatile int *)8 = 1;")
    assert session.run("mine").ok().text == "2"
