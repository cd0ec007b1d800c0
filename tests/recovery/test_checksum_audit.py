# SPDX-License-Identifier: Apache-2.0
"""On a GPU, played by start_on_gpu: what launches are not known to write is not copied; a stray write that a failed cell has left
is found by a digest, and named."""
import re

import pytest

pytestmark = pytest.mark.cuda

KB = 1 << 10
MAKE = """#include <stdio.h>
int *large, *out, *other; int **table;
__device__ int counter; __constant__ int fixed = 3;
__global__ void at(int *p, long i, int v) { p[i + threadIdx.x] = v; }
__global__ void add(int *p, long i, int v) { atomicAdd(&p[i], v); }
__global__ void swap(int *p, long i) { int v = p[i]; p[i] = p[i + 1]; p[i + 1] = v; }
__global__ void through(int **table, int k) { table[k][threadIdx.x] = 9; }
cudaMalloc(&large, 8 << 20); cudaMemset(large, 0, 8 << 20);
cudaMalloc(&out, 1 << 20); cudaMemset(out, 0, 1 << 20);
cudaMalloc(&other, (2 << 20) + 7); cudaMemset(other, 0, (2 << 20) + 7);
cudaMalloc(&table, 2 * sizeof(int *));
int *rows[2] = { out, other }; cudaMemcpy(table, rows, sizeof(rows), cudaMemcpyHostToDevice);
long to_fixed(void) { void *p; cudaGetSymbolAddress(&p, fixed); return ((char *)p - (char *)out) / 4; }
long to_other(void) { return ((char *)other - (char *)out) / 4; }
int look(const int *p) { int v; cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost); return v; }
int counted(void) { int v; cudaMemcpyFromSymbol(&v, counter, 4); return v; }
"""
LOOK = 'printf("%d %d %d %d", look(large), look(out), look(other), counted());'
FAIL = "\ncudaDeviceSynchronize(); *(volatile int *)0 = 1;"
STRAY = "at<<<1, 4>>>(out, to_other(), 9);"
TOLD = re.compile(r"device buffer `(\w+)` \(cell \d+, (\d+) bytes at 0x\w+\) is not what it was: since cell (\d+),")


@pytest.fixture
def session(start_on_gpu):
    kernel = start_on_gpu(CGPU_EMULATED_MEMORY="256M")
    kernel.run(MAKE).ok()
    return kernel


def cost(session, cell):
    """KB that were copied, KB that were read for digests."""
    shown = session.run("%%time\n" + cell).ok().stdout
    found = [re.search(pattern, shown) for pattern in (r"for a rollback \((\d+) kB\)", r"known to be written \((\d+) kB\)")]
    return [int(m.group(1)) if m else 0 for m in found]


def failed(session, cell):
    """Which buffers the failed cell's report names, and since when."""
    r = session.run(cell + FAIL)
    assert r.ename == "SegmentationFault", r.shown
    return [(name, int(since)) for name, _, since in TOLD.findall(r.shown)]


def test_what_is_not_written_is_read_once_in_a_session(session):
    copied, read = cost(session, "at<<<1, 4>>>(out, 0, 0);")
    assert copied == KB and read == 10 * KB  # large, other, table, counter
    assert cost(session, "for (int i = 0; i < 3; i++) at<<<1, 4>>>(out, 0, 0);") == [KB, 0]
    # What a cell has changed is read again when another one does not write it.
    copied, read = cost(session, "at<<<1, 4>>>(large, 0, 0);")
    assert copied == 8 * KB and read == KB
    assert cost(session, "cudaMemset(other, 0, 4);") == [2 * KB, 0]
    copied, read = cost(session, "at<<<1, 4>>>(out, 0, 0);")
    assert copied == KB and read == 10 * KB
    copied, read = cost(session, "through<<<1, 1>>>(table, 0);")
    assert copied == 11 * KB and read == 0


def test_what_was_written_as_its_code_says_comes_back(session):
    assert failed(session, "at<<<1, 4>>>(out, 0, 5); at<<<1, 4>>>(large, 9, 5); cudaMemset(other, 1, 9);") == []
    assert failed(session, "through<<<1, 4>>>(table, 1);") == []
    assert session.run(LOOK).ok().stdout == "0 0 0 0"


@pytest.mark.parametrize("cell, now", [
    (STRAY, 9), ("add<<<1, 1>>>(out, to_other(), 1);", 1), ("at<<<1, 4>>>(out, 0, 5);" + STRAY, 9),
    # Its copy was made behind the stray write.
    (STRAY + "cudaDeviceSynchronize(); at<<<1, 4>>>(other, 0, 7);", 9),
    (STRAY + "cudaDeviceSynchronize(); cudaMemset(other, 7, 9);", 9),
])
def test_a_stray_write_is_named(session, cell, now):
    assert failed(session, cell) == [("other", 2)]
    assert session.run(LOOK).ok().stdout == f"0 0 {now} 0"
    # That is how it is from here on.
    session.run("at<<<1, 4>>>(out, 0, 0);").ok()
    assert failed(session, "at<<<1, 4>>>(out, 0, 5);") == []
    assert session.run(LOOK).ok().stdout == f"0 0 {now} 0"


@pytest.mark.parametrize("place", [0, 1, (1 << 18) - 1, (1 << 19) - 4, 1 << 19])
def test_no_byte_is_left_out(session, place):
    """The last of them has bytes behind the last whole word."""
    assert failed(session, f"at<<<1, 1>>>(out, to_other() + {place}, 1 << 8);") == [("other", 2)]


def test_a_constant_is_no_exception(session):
    """Hardware does not know what is constant here."""
    assert failed(session, "at<<<1, 1>>>(out, to_fixed(), 4);") == [("fixed", 2)]
    assert failed(session, "through<<<1, 4>>>(table, 1); at<<<1, 1>>>(out, to_fixed(), 5);") == [("fixed", 3)]


def test_an_order_is_told_from_another(session):
    session.run("at<<<1, 1>>>(other, 100, 3); at<<<1, 1>>>(other, 101, 4);\n"
                "at<<<1, 1>>>(other, 102, 3); at<<<1, 1>>>(other, 104, 4);").ok()
    assert failed(session, "swap<<<1, 1>>>(out, to_other() + 100);") == [("other", 3)]
    session.run("at<<<1, 1>>>(out, 0, 0);").ok()
    assert failed(session, "swap<<<1, 1>>>(out, to_other() + 103);") == [("other", 4)]


def test_a_stray_write_of_a_cell_that_is_well_belongs_to_the_session(session):
    session.run(STRAY).ok()
    # It is found when it is looked for: by the recovery of a later cell, which says since when.
    assert failed(session, "at<<<1, 4>>>(out, 0, 5);") == [("other", 2)]
    session.run("at<<<1, 4>>>(out, 0, 0);").ok()
    assert failed(session, "at<<<1, 4>>>(out, 0, 5);") == []
    assert session.run(LOOK).ok().stdout == "0 0 9 0"


def test_undo_names_what_it_cannot_take_back(session):
    session.run(STRAY).ok()
    session.run("%undo").ok()
    looked = session.run(LOOK).ok()
    assert looked.stdout == "0 0 9 0" and TOLD.findall(looked.stderr)[0][0] == "other", looked.shown


def test_undo_over_a_stray_write_and_a_plain_one(session):
    session.run("at<<<1, 4>>>(out, 0, 0);").ok()
    session.run(STRAY).ok()
    session.run("at<<<1, 4>>>(other, 0, 7);").ok()
    session.run("%undo 2").ok()
    looked = session.run(LOOK).ok()
    assert looked.stdout == "0 0 9 0" and TOLD.findall(looked.stderr)[0][0] == "other", looked.shown


def test_undo_of_plain_writes_names_nothing(session):
    session.run("at<<<1, 4>>>(other, 0, 7);").ok()
    session.run("at<<<1, 4>>>(out, 0, 8);").ok()  # takes the digest of other as it is then
    session.run("at<<<1, 4>>>(large, 0, 9);").ok()
    session.run("%undo 3").ok()
    looked = session.run(LOOK).ok()
    assert looked.stdout == "0 0 0 0" and not looked.stderr, looked.shown


def test_after_a_checkpoint(session):
    assert failed(session, "at<<<1, 4>>>(out, 0, 5); cgpu_checkpoint();\nat<<<1, 4>>>(out, 0, 6);") == []
    assert session.run(LOOK).ok().stdout == "0 5 0 0"
    assert failed(session, "at<<<1, 4>>>(out, 0, 5); cgpu_checkpoint();\n" + STRAY) == [("other", 2)]


def test_whole_copies_all_that_is_reached(session):
    assert "whole" in session.run("%gpu rollback whole").ok().stdout
    assert failed(session, STRAY) == []
    assert session.run(LOOK).ok().stdout == "0 0 0 0"
    assert cost(session, "at<<<1, 4>>>(out, 0, 0);") == [11 * KB, 0]


def test_off_names_each_once(session):
    session.run("at<<<1, 4>>>(out, 0, 0);").ok()
    session.run("%gpu rollback off").ok()
    r = session.run("at<<<1, 4>>>(large, 0, 5);" + STRAY + FAIL)
    assert [name for name, _, _ in TOLD.findall(r.shown)] == ["other"]
    left = r.shown[r.shown.index("Not rolled back"):r.shown.index("The cell was rolled back")]
    assert "`large`" in left and "`out`" in left and "`other`" not in left, r.shown


def test_a_snapshot_has_what_it_had(session, start_on_gpu):
    session.run("at<<<1, 4>>>(out, 0, 5);").ok()
    session.run("%snapshot save kept").ok()
    session.run("at<<<1, 4>>>(large, 0, 6);").ok()
    shown = session.run("%snapshot load kept").ok().shown
    assert not TOLD.search(shown), shown
    assert failed(session, "at<<<1, 4>>>(out, 0, 5);") == []
    assert [name for name, _ in failed(session, STRAY)] == ["other"]


def test_a_parked_session_is_as_it_was(session):
    session.run("at<<<1, 4>>>(out, 0, 5);").ok()
    session.run("%park").ok()
    r = session.run(LOOK).ok()
    assert r.stdout == "0 5 0 0" and not TOLD.search(r.shown)
    assert [name for name, _ in failed(session, STRAY)] == ["other"]


def test_small_buffers_that_share_memory_are_brought_back(session):
    """Off by a few: on a GPU that is no fault, and the next buffer has it."""
    session.run("""int *first, *second; cudaMalloc(&first, 400); cudaMalloc(&second, 400);
cudaMemset(first, 0, 400); cudaMemset(second, 0, 400);""").ok()
    assert failed(session, "at<<<1, 4>>>(first, second - first, 9);") == []
    assert session.run('printf("%d %d", look(first), look(second));').ok().stdout == "0 0"
    # The same of a chunk with what the cell has made itself.
    assert failed(session, "int *own; cudaMalloc(&own, 400); at<<<1, 4>>>(own, second - own, 9);") == []
    assert session.run("look(second)").ok().text == "0"
