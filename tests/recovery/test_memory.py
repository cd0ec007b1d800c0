# SPDX-License-Identifier: Apache-2.0
"""Memory of a session: who holds it, what is lost, and limits that are errors of the cell and never the end of anything."""
import glob
import os
import re
import signal
import tempfile

import pytest
from session import wait_until

INCLUDES = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>
"""
UNITS = {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}


@pytest.fixture
def session(start_kernel):
    s = start_kernel()
    s.run(INCLUDES).ok()
    yield s
    s.close()


def size(text):
    """Bytes of "1.5 MB"; "-" is nothing."""
    if text == "-":
        return 0
    number, unit = text.split()
    return float(number) * UNITS[unit]


def rows(session):
    """{cell: {column: text}} of %mem."""
    shown = session.run("%mem").ok().stdout
    found = {}
    for line in shown.splitlines():
        m = re.match(r"In\[(\d+)\] +(\d+) +(-|[\d.]+ \w+) +(-|[\d.]+ \w+) +(-|[\d.]+ \w+) +(-|\?|[\d.]+ \w+)  (.*)$", line)
        if m:
            keys = ("blocks", "heap", "freed", "device", "lost", "by")
            found[int(m.group(1))] = dict(zip(keys, m.groups()[1:]))
    return found


def used(session):
    """Bytes of host memory that count against the limit."""
    return size(re.search(r"ram .*\(used: ([\d.]+ \w+)\)", session.run("%limit").ok().stdout).group(1))


# ---- who holds what ----

@pytest.mark.cuda
def test_each_cell_has_a_row_of_what_it_took_freed_and_lost(session):
    held = session.run("struct node { struct node *next; char pad[1000]; } *list;\n"
                       "void add(void) { struct node *n = malloc(sizeof(*n)); n->next = list; list = n; }\n"
                       "for (int i = 0; i < 1000; i++) add();").ok().count
    halves = session.run("char *keep, *gone; keep = malloc(3 << 20); gone = malloc(2 << 20); free(gone);").ok().count
    lost = session.run("char *p; p = malloc(5 << 20); p = NULL;").ok().count
    device = session.run("float *d, *e; cudaMalloc(&d, 1 << 20); cudaMalloc(&e, 2 << 20); e = NULL;").ok().count
    table = rows(session)
    assert table[held]["by"] == "list" and table[held]["blocks"] == "1000" and table[held]["lost"] == "-"
    assert size(table[halves]["heap"]) == 3 << 20 and size(table[halves]["freed"]) == 2 << 20
    assert table[halves]["by"] == "keep"
    assert size(table[lost]["lost"]) == 5 << 20
    assert size(table[device]["device"]) == 3 << 20 and size(table[device]["lost"]) == 2 << 20
    session.run("free(keep); cudaFree(d); while (list) { struct node *n = list; list = n->next; free(n); }").ok()
    table = rows(session)
    assert table[held]["heap"] == "-" and table[halves]["heap"] == "-"
    assert size(table[device]["device"]) == 2 << 20


@pytest.mark.parametrize("keep", [
    "static char *hidden; hidden = malloc(1 << 20);",
    "struct { int n; char *p; } inside; inside.p = malloc(1 << 20);",
    "_Thread_local char *local; local = malloc(1 << 20);",
    "char *middle; middle = (char *)malloc(1 << 20) + 5000;",
    "char ***far; far = malloc(8); *far = malloc(8); **far = malloc(1 << 20);",
    "char *big[200000]; big[199999] = malloc(1 << 20);",
    "char *pinned; cudaMallocHost(&pinned, 1 << 20); pinned = NULL;",
    "#include <pthread.h>\npthread_key_t key; pthread_key_create(&key, NULL); pthread_setspecific(key, malloc(1 << 20));",
    'FILE *f; f = fopen("/dev/null", "w"); setvbuf(f, malloc(1 << 20), _IOFBF, 1 << 20);',
])
def test_what_can_still_be_reached_is_not_lost(session, keep):
    cell = session.run(keep).ok().count
    assert rows(session)[cell]["lost"] == "-"


def test_a_rollback_rolls_the_table_back(session):
    session.run("char *p = malloc(1 << 20);").ok()
    before = rows(session)
    assert session.run("free(p); p = malloc(9 << 20); *(volatile int *)0 = 1;").status == "error"
    assert rows(session) == before
    session.run("free(p);").ok()
    session.run("%undo").ok()
    assert rows(session) == before


# ---- leaks ----

def test_a_cell_that_is_run_again_and_leaks_again_is_told(session):
    cell = "double *p = malloc(4 << 20);\nmemset(p, 1, 4 << 20);"
    assert "leak" not in session.run(cell).ok().stderr
    assert "this cell has lost 4 MB in 1 of its 2 runs" in session.run(cell).ok().stderr
    third = session.run(cell).ok().stderr
    assert "lost 4 MB in each of 2 of its 3 runs: a block of 4 MB that line 1 asks for" in third and third.count("leak:") == 1


def test_looking_at_a_pointer_does_not_hide_a_leak(session):
    cell = "double *p = malloc(4 << 20);"
    session.run(cell).ok()
    for question in ("%whos", "p", "%mem", "%gpu"):
        session.run(question).ok()
    assert "this cell has lost 4 MB in 1 of its 2 runs" in session.run(cell).ok().stderr


def test_a_cell_that_was_edited_is_still_the_same_cell(session):
    session.run("double *p = malloc(4 << 20);", cell_id="a").ok()
    told = session.run("/* again */ double *p = malloc(3 << 20);", cell_id="a").ok().stderr
    assert "this cell has lost 4 MB in 1 of its 2 runs" in told
    assert "leak" not in session.run("double *q = malloc(4 << 20);", cell_id="b").ok().stderr


def test_small_leaks_are_told_when_they_repeat(session):
    cell = "char *w;\nw = strdup(\"hello\");"
    assert "leak" not in session.run(cell).ok().stderr
    assert "leak" not in session.run(cell).ok().stderr
    assert "in each of 2 of its 3 runs: a block of 6 B that line 2 asks for" in session.run(cell).ok().stderr


def test_a_leak_in_a_function_names_its_cell(session):
    made = session.run("void *make(void)\n{\n    return malloc(2 << 20);\n}").ok().count
    session.run("void *v = make();").ok()
    assert f"a block of 2 MB that make() asks for, In[{made}] line 3" in session.run("void *v = make();").ok().stderr


@pytest.mark.cuda
def test_a_leak_on_the_device_names_its_line(session):
    cell = "float *d;\ncudaMalloc(&d, 1 << 20);"
    session.run(cell).ok()
    told = session.run(cell).ok().stderr
    assert "lost 1 MB in 1 of its 2 runs, all of it on the device: a buffer of 1 MB that line 2 asks for" in told


@pytest.mark.parametrize("cell", [
    "free(q);\nq = malloc(1 << 20);",
    "{ struct item *n = malloc(sizeof(*n)); n->next = items; items = n; }",
    "cudaFree(f);\ncudaMalloc(&f, 1 << 20);",
    "char *t = malloc(1 << 20);\nfree(t);",
])
def test_what_is_freed_or_kept_is_no_leak(session, cell):
    session.run("char *q; float *f; struct item { struct item *next; char pad[1 << 20]; } *items;").ok()
    for _ in range(5):
        assert "leak" not in session.run(cell).ok().stderr


# ---- the limit ----

def test_used_is_what_the_session_has(session):
    before = used(session)
    session.run("char *block = malloc(200 << 20); memset(block, 1, 200 << 20);").ok()
    assert 190 << 20 < used(session) - before < 260 << 20
    session.run("char *mapped = mmap(0, 100 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);"
                "memset(mapped, 1, 100 << 20);").ok()
    assert 290 << 20 < used(session) - before < 360 << 20


LEFT = f"/dev/shm/cgpu-test-{os.getpid()}-"
OVER = {
    "malloc": ("list of blocks", "for (;;) { char *volatile p = malloc(1 << 20); memset(p, 1, 1 << 20); }", "this cell"),
    "mmap": ("mapped", "for (;;) memset(mmap(0, 8 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, "
             "8 << 20);", "outside the heap"),
    "shared mmap": ("mapped", "for (;;) memset(mmap(0, 8 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), "
                    "1, 8 << 20);", "files of memory"),
    "memfd": ("written", 'int fd = memfd_create("x", 0); char *part = calloc(1, 1 << 20); for (;;) write(fd, part, 1 << 20);',
              "files of memory"),
    "many memfds": ("written", 'char *part = calloc(1, 1 << 20); for (;;) write(memfd_create("x", 0), part, 1 << 20);',
                    "files of memory"),
    "a file of /dev/shm": ("written", f'char name[] = "{LEFT}XXXXXX", *part = calloc(1, 1 << 20); '
                           "int fd = mkstemp(name); for (int i = 0; i < 600; i++) write(fd, part, 1 << 20); "
                           "unlink(name); pause();",
                           "files of memory"),
    "shared memory of a child": ("mapped", "if (!fork()) { char *p = mmap(0, 600 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | "
                                 "MAP_ANONYMOUS, -1, 0); memset(p, 1, 600 << 20); pause(); } pause();", "files of memory"),
    "System V": ("attached", "int id = shmget(IPC_PRIVATE, 600 << 20, 0600); char *p = shmat(id, 0, 0); shmctl(id, IPC_RMID, 0); "
                 "memset(p, 1, 600 << 20); pause();", "files of memory"),
    "children": ("forked", "for (int i = 0; i < 4; i++) if (!fork()) { char *p = mmap(0, 200 << 20, PROT_READ | PROT_WRITE, "
                 "MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); memset(p, 1, 200 << 20); pause(); } pause();", "processes"),
    "a child that left": ("forked", "if (!fork()) { setsid(); if (fork()) _exit(0); char *p = mmap(0, 600 << 20, PROT_READ | "
                          "PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); memset(p, 1, 600 << 20); pause(); } pause();",
                          "processes"),
}


@pytest.fixture
def left():
    """What a cell has put into /dev/shm stays there when it fails."""
    yield
    for name in glob.glob(f"{LEFT}*"):
        os.unlink(name)


@pytest.mark.parametrize("way", OVER)
def test_over_the_limit_is_an_error_with_the_holders(session, way, left):
    _, cell, holder = OVER[way]
    session.run("char *mine = malloc(50 << 20); memset(mine, 7, 50 << 20);").ok()
    session.run("%limit ram 300M").ok()
    result = session.run("mine[5] = 8;\n" + cell)
    assert result.ename == "OutOfMemory" and result.errors == 1, result.shown
    assert "300" in result.evalue, result.evalue
    assert "50" in result.traceback and (way == "malloc" or holder in result.traceback), result.traceback
    assert session.run("mine[5] == 7").ok().text == "1"
    assert wait_until(lambda: used(session) < 100 << 20), "memory of the failed cell is still there"


def test_what_somebody_else_has_made_is_not_counted(session, tmp_path):
    """Data that a cell reads: a file of a disk that it maps, and one that a program has put into memory."""
    data = tmp_path / "data"
    data.write_bytes(bytes(500 << 20))
    session.run("#include <fcntl.h>\nlong sum;").ok()
    session.run("%limit ram 300M").ok()
    session.run(f'const char *p = mmap(0, 500 << 20, PROT_READ, MAP_SHARED, open("{data}", O_RDONLY), 0);\n'
                "for (int turn = 0; turn < 5; turn++, usleep(50000))\n"
                "    for (size_t i = 0; i < 500 << 20; i += 4096) sum += p[i];").ok()
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as shared:
        shared.write(bytes(500 << 20))
        shared.flush()
        session.run(f'int fd = open("{shared.name}", O_RDONLY); char part[4096];\n'
                    "for (int turn = 0; turn < 5; turn++, usleep(50000)) while (read(fd, part, 4096) > 0) sum += part[0];").ok()


def test_children_that_only_share_pages_are_not_counted_twice(session):
    session.run("%limit ram 400M").ok()
    session.run("char *mapped = mmap(0, 200 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);"
                "memset(mapped, 1, 200 << 20);").ok()
    session.run("for (int i = 0; i < 6; i++) if (!fork()) { usleep(200000); _exit(0); } while (wait(NULL) > 0);").ok()
    # Some end while their memory is looked at, and those that are left have larger shares.
    session.run("for (int n = 0; n < 40; n++) { for (int i = 0; i < 12; i++) if (!fork()) { usleep(50000 + 700 * i); _exit(0); } "
                "while (wait(NULL) > 0); }").ok()


def test_a_large_request_is_refused_before_it_is_made(session):
    session.run("%limit ram 300M").ok()
    result = session.run("char *p = malloc(1ul << 30);")
    assert result.ename == "OutOfMemory" and "1.00 GiB asked" in result.shown, result.shown
    session.run("char *p = malloc(100 << 20); memset(p, 1, 100 << 20);").ok()


# ---- Linux itself runs out ----

@pytest.fixture
def fake_proc(tmp_path):
    """A folder that says how the machine fares, in place of /proc."""
    (tmp_path / "pressure").mkdir()
    (tmp_path / "vmstat").write_text("nr_free_pages 1\noom_kill 5\n")
    (tmp_path / "pressure" / "memory").write_text("")

    def stalled(us):
        line = "{} avg10=0.00 avg60=0.00 avg300=0.00 total={}\n"
        with open(tmp_path / "pressure" / "memory", "r+") as f:
            f.write(line.format("some", us * 2) + line.format("full", us))
    stalled(0)
    return tmp_path, stalled


def test_the_oom_killer_is_named(start_kernel, fake_proc):
    folder, _ = fake_proc
    session = start_kernel(CGPU_PROC=str(folder))
    session.run(INCLUDES + "int kept = 1;").ok()
    for kills, ename in ((6, "OutOfMemory"), (6, "WorkerKilled"), (9, "OutOfMemory")):
        cell = session.start('kept = 2; printf("%d ready\\n", getpid()); fflush(stdout); pause();').wait_output(" ready\n")
        (folder / "vmstat").write_text(f"nr_free_pages 1\noom_kill {kills}\n")
        os.kill(int(cell.result.stdout.split()[0]), signal.SIGKILL)
        result = cell.wait()
        assert result.ename == ename and "limit" in result.traceback, result.shown
        assert session.run("kept").ok().text == "1"
    session.close()


def test_the_worker_goes_before_everything_else(session):
    score = session.run('FILE *f = fopen("/proc/self/oom_score_adj", "r"); int n = 0; fscanf(f, "%d", &n); n').ok().text
    assert score == "1000"


def test_a_cell_that_makes_the_machine_thrash_is_stopped(start_kernel, fake_proc):
    folder, stalled = fake_proc
    session = start_kernel(CGPU_PROC=str(folder))
    session.run(INCLUDES + "int kept = 1;").ok()
    cell = session.start("kept = 2;\nfor (long n = 1;; n++) { char *volatile p = malloc(1 << 20); memset(p, 1, 1 << 20);"
                         'if (n == 200) { puts("grown"); fflush(stdout); pause(); } }').wait_output("grown\n")
    stalled(10000000)
    result = cell.wait()
    assert result.ename == "OutOfMemory" and "freeze" in result.evalue and "this cell" in result.traceback, result.shown
    assert session.run("kept").ok().text == "1"
    session.close()


def test_a_small_cell_is_not_blamed_for_pressure(start_kernel, fake_proc):
    folder, stalled = fake_proc
    session = start_kernel(CGPU_PROC=str(folder))
    session.run(INCLUDES).ok()
    cell = session.start('for (int i = 0; i < 30; i++) { printf("%d\\n", i); fflush(stdout); usleep(100000); }')
    cell.wait_output("1\n")
    stalled(10000000)
    cell.wait().ok()
    session.close()
