# SPDX-License-Identifier: Apache-2.0
"""Memory in pieces: what is freed can be had again in any size and goes back to the system, on the host and on the
device, also after an out-of-memory error and after a recovery."""
import re

import pytest

UNITS = {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}
SIZE = r"([\d.]+) ([KMG]?B)"

# Blocks of many sizes, from 1 KB to 4 MB on the device, to 1 MB on the host; each other one can be freed.
HOST = """
#include <stdlib.h>
#include <string.h>
#define BLOCKS 1500
unsigned char *blocks[BLOCKS];
size_t block_size(int i) { return 1000 + (size_t)(i * 7919 % 300) * (i % 5 ? 500 : 3000); }
void fill_blocks(void)
{
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(block_size(i));
        memset(blocks[i], i, block_size(i));
    }
}
size_t free_every_other(void)
{
    size_t sum = 0;
    for (int i = 0; i < BLOCKS; i += 2) {
        sum += block_size(i);
        free(blocks[i]);
        blocks[i] = NULL;
    }
    return sum;
}
int rest_is_whole(void)
{
    for (int i = 1; i < BLOCKS; i += 2)
        for (size_t k = 0; k < block_size(i); k++)
            if (blocks[i][k] != (unsigned char)i)
                return 0;
    return 1;
}
"""

DEVICE = """
#include <stdlib.h>
#include <string.h>
#define BUFFERS 60
char *buffers[BUFFERS];
size_t buffer_size(int i) { return (size_t)(1 + i % 8) << 19; }
int fill_buffers(void)
{
    for (int i = 0; i < BUFFERS; i++)
        if (cudaMalloc(&buffers[i], buffer_size(i)) || cudaMemset(buffers[i], i, buffer_size(i)))
            return i;
    return BUFFERS;
}
size_t free_every_other(void)
{
    size_t sum = 0;
    for (int i = 0; i < BUFFERS; i += 2) {
        sum += buffer_size(i);
        cudaFree(buffers[i]);
        buffers[i] = NULL;
    }
    return sum;
}
int rest_is_whole(void)
{
    char *copy = malloc(4 << 20);
    int whole = 1;
    for (int i = 1; i < BUFFERS; i += 2) {
        cudaMemcpy(copy, buffers[i], buffer_size(i), cudaMemcpyDeviceToHost);
        for (size_t k = 0; k < buffer_size(i); k++)
            whole &= copy[k] == (char)i;
    }
    free(copy);
    return whole;
}
char *all;
size_t sum;
"""


def size(match, first=1):
    return float(match.group(first)) * UNITS[match.group(first + 1)]


def session_bytes(session):
    """Physical memory of the arena's memfd. The kernel says it: an ordinary user may not look into its process."""
    shown = session.run("%mem").ok().stdout
    return size(re.search(rf"session {SIZE}", shown))


def resident(pid):
    with open(f"/proc/{pid}/statm") as f:
        return int(f.read().split()[1]) * 4096


def device_numbers(session):
    """(used, largest request that fits) of %gpu, in bytes."""
    shown = session.run("%gpu").ok().printed
    m = re.search(rf"memory: {SIZE} used .*largest request that fits: {SIZE}", shown)
    return size(m), size(m, 3)


@pytest.fixture
def session(start_kernel):
    # Little is kept for %undo and nothing is being saved, so that memory need not wait for either.
    s = start_kernel(CGPU_UNDO="1M", CGPU_AUTOSAVE="0", CGPU_EMULATED_MEMORY="256M", CGPU_GPU_MEMORY="256M", CGPU_RAM="1G")
    yield s
    s.close()


def test_every_other_block_of_the_host_is_freed_and_the_sum_is_had(session):
    session.run(HOST).ok()
    worker = session.worker_pid()
    empty = resident(worker)  # a driver has its own share of it
    session.run("fill_blocks();").ok()
    full = session_bytes(session)
    total = float(session.run("size_t total = 0; for (int i = 0; i < BLOCKS; i++) total += block_size(i);\ntotal").ok().text)
    freed = int(session.run("free_every_other()").ok().text)
    assert total * 0.4 < freed < total * 0.6
    session.run("1;").ok()  # the cell before it can be taken back no more
    session.run("1;").ok()
    # Small blocks share pages with those that live; there is little in them.
    assert session_bytes(session) < full - freed * 0.85
    assert session.run("rest_is_whole()").ok().text == "1"
    assert resident(worker) - empty < total - freed * 0.85 + (8 << 20)
    session.run(f"%limit ram {int(total) + (20 << 20)}").ok()
    session.run(f"char *all = malloc({freed}); memset(all, 1, {freed});").ok()
    assert session.run("rest_is_whole()").ok().text == "1"
    shown = session.run("%mem").ok().stdout
    assert re.search(rf"free inside it: {SIZE} \(largest piece {SIZE}, fragmentation \d+ %\)", shown), shown
    session.run("free(all); for (int i = 1; i < BLOCKS; i += 2) free(blocks[i]);").ok()
    session.run("1;").ok()
    session.run("1;").ok()
    assert session_bytes(session) < full * 0.1


@pytest.mark.cuda
def test_every_other_buffer_of_the_device_is_freed_and_the_sum_is_had(session):
    session.run(DEVICE).ok()
    assert session.run("fill_buffers()").ok().text == "60"
    used, _ = device_numbers(session)
    session.run("sum = free_every_other();").ok()
    left, _ = device_numbers(session)
    total = int(session.run("sum").ok().text)
    assert used - left == pytest.approx(total, rel=0.05)
    # As much as the device has, in one piece: less than that is only what was not free before.
    _, largest = device_numbers(session)
    assert largest > total
    session.run("if (cudaMalloc(&all, sum)) abort(); cudaMemset(all, 1, sum);").ok()
    assert session.run("rest_is_whole()").ok().text == "1"


@pytest.mark.cuda
def test_all_of_the_device_is_had_after_many_sizes_came_and_went(session):
    session.run(DEVICE).ok()
    _, largest = device_numbers(session)
    for _ in range(5):
        assert session.run("fill_buffers()").ok().text == "60"
        session.run("free_every_other(); for (int i = 1; i < BUFFERS; i += 2) cudaFree(buffers[i]);").ok()
        assert device_numbers(session)[1] == pytest.approx(largest, rel=0.02)
    session.run("if (cudaMalloc(&all, 250 << 20)) abort(); cudaMemset(all, 1, 250 << 20);").ok()


@pytest.mark.cuda
def test_a5_after_out_of_memory_a_smaller_size_works_and_nothing_creeps(session):
    """keras#1587, pytorch#27600, pytorch#18853: after one OOM smaller sizes still fail."""
    session.run("#include <stdlib.h>\nchar *held; cudaMalloc(&held, 32 << 20); cudaMemset(held, 7, 32 << 20);").ok()
    before = device_numbers(session)
    for n in range(50):
        result = session.run("float *x;\ncudaMalloc(&x, 1ul << 30);\ncudaMemset(x, 0, 1ul << 30);")
        assert result.ename == "CudaOutOfMemory" and result.errors == 1, result.shown
        for number in ("1.0 GiB", "256", "32", "held"):
            assert number in result.shown, f"{number} is not in:\n{result.shown}"
        if n % 10 == 0:
            session.run("float *x;\ncudaMalloc(&x, 200ul << 20);\ncudaMemset(x, 0, 200ul << 20);\ncudaFree(x);").ok()
        assert device_numbers(session) == before
    check = "char last; cudaMemcpy(&last, held + (32 << 20) - 1, 1, cudaMemcpyDeviceToHost); (int)last"
    assert session.run(check).ok().text == "7"


def test_a5_on_the_host(session):
    """The same with malloc(): the error has the numbers, and memory is back at once, 50 times."""
    session.run("#include <stdlib.h>\n#include <string.h>\nchar *held = malloc(8 << 20); memset(held, 7, 8 << 20);").ok()
    session.run("%limit ram 40M").ok()
    session.run("1;").ok()
    before = session_bytes(session)
    for n in range(50):
        result = session.run("for (;;) { char *volatile p = malloc(8 << 20); memset(p, 1, 8 << 20); }")
        assert result.ename == "OutOfMemory" and "40.0 MiB" in result.shown and "held" in result.shown, result.shown
        session.run(f"char *y = malloc({20000 + 200 * n} << 10); memset(y, 1, 20000 << 10); free(y);").ok()
    session.run("1;").ok()
    assert session_bytes(session) < before + (4 << 20)


@pytest.mark.cuda
def test_a20_after_a_recovery_the_device_heap_is_compact(session):
    """pytorch#97925: memory is free, but not in one piece."""
    session.run(DEVICE).ok()
    assert session.run("fill_buffers()").ok().text == "60"
    session.run("sum = free_every_other();").ok()
    before = device_numbers(session)
    result = session.run("char *x; cudaMalloc(&x, 20 << 20); fill_buffers(); *(volatile int *)0 = 1;")
    assert result.ename == "SegmentationFault", result.shown
    assert device_numbers(session) == before
    session.run("size_t free_bytes, total_bytes; cudaMemGetInfo(&free_bytes, &total_bytes);").ok()
    free_bytes = int(session.run("free_bytes").ok().text)
    assert before[1] == pytest.approx(free_bytes, rel=0.01), "%gpu shows another largest request than all that is free"
    session.run("if (cudaMalloc(&all, free_bytes)) abort(); cudaMemset(all, 1, free_bytes);").ok()
    assert session.run("rest_is_whole()").ok().text == "1"
