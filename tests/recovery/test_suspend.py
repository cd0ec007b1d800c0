# SPDX-License-Identifier: Apache-2.0
"""A machine that is suspended between two cells or in one, played by suspend.c, may lose what its GPU, played by start_on_gpu,
held. What is lost is what is written over in the memory that the kernel process keeps."""
import pathlib
import re
import signal
import subprocess

import descriptors
import pytest
from session import wait_until

pytestmark = pytest.mark.cuda

MAKE = """#include <stdio.h>
int *weights, *others; __device__ int counter;
__global__ void set(int *p, int v) { p[threadIdx.x] = v; }
__global__ void count(void) { counter++; }
cudaMalloc(&weights, 4 << 20); cudaMemset(weights, 0x5a, 4 << 20);
cudaMalloc(&others, 1 << 20); cudaMemset(others, 0x3c, 1 << 20);
int look(const int *p) { int v; cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost); return v; }
count<<<1, 1>>>();"""
LOOK = 'printf("%x %x", look(weights), look(others));'
WELL = "5a5a5a5a 3c3c3c3c"
LOST = "5a5a5a00 3c3c3c3c"
TOLD = re.compile(r"device buffer `(\w+)` \(cell \d+, \d+ bytes at 0x\w+\) is not what it was: the machine was suspended")


class Machine:
    def __init__(self, folder):
        self.clock = folder / "suspended"
        self.notes = folder / "suspended.notes"
        self.seconds = 0

    def suspend(self):
        self.seconds += 3600
        self.clock.write_text(str(self.seconds))

    def has_digests_behind_the_cell(self):
        """A worker has told digests since its last cell ended: the clock was read for them before."""
        return self.notes.exists() and bool(re.search(r"ED+\Z", self.notes.read_text()))


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


@pytest.fixture
def session(root, start_on_gpu, machine, tmp_path):
    library = tmp_path / "suspend.so"
    source = pathlib.Path(__file__).with_name("suspend.c")
    subprocess.run(["gcc", "-Wall", "-Werror", "-shared", "-fPIC", f"-I{root}", "-o", library, source], check=True)
    session = start_on_gpu(LD_PRELOAD=str(library), CGPU_SUSPENDED=str(machine.clock))
    session.machine = machine
    yield session
    session.close()


def run_and_rest(session, cell):
    """Its result, when the session that rests has digests of all it holds."""
    result = session.run(cell).ok()
    assert wait_until(session.machine.has_digests_behind_the_cell)
    return result


def lose(session, byte):
    """The first byte of memory that is full of such is gone."""
    found = 0
    for path, _ in descriptors.named(session.pid, "cgpu-device-"):
        with open(path, "r+b") as memory:
            if memory.read(64) == bytes([byte]) * 64:
                memory.seek(0)
                memory.write(b"\0")
                found += 1
    assert found == 1


def test_what_is_lost_is_named_before_the_next_cell_uses_it(session):
    run_and_rest(session, MAKE)
    session.machine.suspend()
    lose(session, 0x5a)
    shown = session.run(LOOK).ok()
    assert TOLD.findall(shown.stderr) == ["weights"] and "NVreg_PreserveVideoMemoryAllocations=1" in shown.stderr
    assert shown.stdout == LOST
    # That is how it is from here on.
    assert session.run("set<<<1, 1>>>(others, 1); *(volatile int *)0 = 1;").ename == "SegmentationFault"
    shown = session.run(LOOK).ok()
    assert shown.stdout == LOST and not shown.stderr, shown.shown


def test_nothing_is_said_when_nothing_is_lost(session):
    run_and_rest(session, MAKE)
    session.machine.suspend()
    shown = session.run(LOOK).ok()
    assert shown.stdout == WELL and not shown.stderr, shown.shown


def test_what_a_cell_has_changed_since_has_a_digest_of_its_own(session):
    run_and_rest(session, MAKE)
    run_and_rest(session, "set<<<1, 32>>>(weights, 7);")
    session.machine.suspend()
    assert not session.run("look(weights)").ok().stderr
    run_and_rest(session, "set<<<1, 32>>>(weights, 0x77777777);")
    session.machine.suspend()
    lose(session, 0x77)
    assert TOLD.findall(session.run(LOOK).ok().stderr) == ["weights"]


def test_a_worker_that_does_not_live_through_it(session):
    """As one whose context is gone: another one takes the session over."""
    run_and_rest(session, MAKE)
    worker = session.worker_pid()
    session.machine.suspend()
    lose(session, 0x5a)
    session.kill(worker, signal.SIGKILL)
    shown = session.run(LOOK).ok()
    assert TOLD.findall(shown.shown) == ["weights"] and shown.stdout == LOST, shown.shown


def test_undo_behind_a_rest_finds_nothing_wrong(session):
    run_and_rest(session, MAKE)
    run_and_rest(session, "set<<<1, 32>>>(weights, 7);")
    run_and_rest(session, "set<<<1, 32>>>(weights, 8);")
    session.run("%undo 2").ok()
    shown = session.run(LOOK).ok()
    assert shown.stdout == WELL and not shown.stderr, shown.shown


def test_a_failed_cell_behind_a_rest_finds_nothing_wrong(session):
    run_and_rest(session, MAKE)
    failed = session.run("set<<<1, 32>>>(weights, 7); cudaDeviceSynchronize(); *(volatile int *)0 = 1;")
    assert failed.ename == "SegmentationFault" and "is not what it was" not in failed.shown
    assert session.run(LOOK).ok().stdout == WELL


def test_what_nobody_knows_is_told(session):
    """In the middle of a cell: of what it has written there is no digest."""
    run_and_rest(session, MAKE)
    later = session.machine.seconds + 3600
    shown = session.run(f'set<<<1, 32>>>(weights, 7); cudaDeviceSynchronize();\n'
                        f'FILE *f = fopen("{session.machine.clock}", "w"); fprintf(f, "{later}"); fclose(f);').ok()
    assert "whether 1 device buffer is what it was is not known" in shown.stderr, shown.shown


def test_digests_are_taken_ahead_of_the_cell_that_needs_them(session):
    run_and_rest(session, MAKE)
    shown = session.run("%%time\nset<<<1, 1>>>(others, 0);").ok().stdout
    assert "known to be written" not in shown, shown


def test_a_thread_of_a_cell_may_write_meanwhile(session):
    """There is no moment at which a digest would hold, so none is taken. The cell that makes the buffers starts the thread: a
    rest between the two would give them a digest that still holds."""
    session.run("#include <pthread.h>\n#include <unistd.h>\n" + MAKE + """
volatile int stops; void *wait_for(void *p) { while (!stops) usleep(1000); return NULL; }
pthread_t t; pthread_create(&t, NULL, wait_for, NULL);""").ok()
    session.machine.suspend()
    shown = session.run("look(weights)").ok()
    assert "is not known: there was no time for a digest" in shown.stderr, shown.shown
    session.run("stops = 1; pthread_join(t, NULL);").ok()
