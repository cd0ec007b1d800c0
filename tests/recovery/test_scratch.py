# SPDX-License-Identifier: Apache-2.0
"""Memory for old content of device buffers goes from one cell to the next, as long as cells follow each other: making it takes a
GPU longer than the copy. It is known by the inodes of the emulated device's memory, which kernel process and worker have."""
import time

import descriptors
import pytest

pytestmark = [pytest.mark.cuda, pytest.mark.emulated]

SIZE = 24 << 20
SETUP = f"""#include <stdio.h>
#include <string.h>
char *d, *small;
cudaMalloc(&d, {SIZE});
cudaMemset(d, 1, {SIZE});
cudaMalloc(&small, {SIZE // 2});
cudaMemset(small, 1, {SIZE // 2});
void inodes(void)
{{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[512];
    unsigned long inode;
    while (fgets(line, sizeof line, f))
        if (strstr(line, "cgpu-device-") && sscanf(line, "%*s %*s %*s %*s %lu", &inode) == 1)
            printf("%lu ", inode);
    fclose(f);
}}"""
WRITE = f"cudaMemset(d, %d, {SIZE}); inodes();"
FIRST = "char c; cudaMemcpy(&c, d, 1, cudaMemcpyDefault); (int)c"


@pytest.fixture
def session(start_kernel):
    # The old content of a buffer is more than %undo keeps.
    session = start_kernel(CGPU_UNDO="1M")
    session.run(SETUP).ok()
    yield session
    session.close()


def in_kernel(session):
    """Inodes of the device memory that the kernel process has."""
    return {file.st_ino for _, file in descriptors.named(session.pid, "cgpu-device-")}


def in_a_row(session, *cells):
    """Their results; they are there before the first has ended."""
    return [running.wait() for running in [session.start(cell) for cell in cells]]


def mapped(result):
    return set(map(int, result.ok().stdout.split()))


def until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_cells_in_a_row_use_the_same_memory(session):
    kept = in_kernel(session)
    for _ in range(10):
        # A machine that stands still for a moment between two cells lets it go.
        scratch = [mapped(result) - kept for result in in_a_row(session, WRITE % 2, WRITE % 3, WRITE % 4)]
        if len(scratch[0]) == 1 and scratch[0] == scratch[1] == scratch[2]:
            break
    else:
        pytest.fail(f"each cell has made memory of its own: {scratch}")
    assert session.run(FIRST).ok().text == "4"


def test_a_notebook_that_rests_holds_none(session):
    kept = in_kernel(session)
    session.run(WRITE % 2).ok()
    until(lambda: in_kernel(session) == kept)


def test_content_comes_back_from_memory_that_was_used_before(session):
    kept = in_kernel(session)
    for value in range(2, 12):
        good, bad = in_a_row(session, WRITE % value, WRITE % 99 + " *(volatile int *)8 = 1;")
        good.ok()
        assert bad.status == "error"
        assert session.run(FIRST).ok().text == str(value)
        last = session.run(f"char last; cudaMemcpy(&last, d + {SIZE - 1}, 1, cudaMemcpyDefault); (int)last")
        assert last.ok().text == str(value)
    until(lambda: in_kernel(session) == kept)


def test_memory_of_another_size_goes_at_once(session):
    kept = in_kernel(session)
    large, little, both = in_a_row(session, WRITE % 2, f"cudaMemset(small, 2, {SIZE // 2}); inodes();",
                                   WRITE % 3 + f" cudaMemset(small, 3, {SIZE // 2}); inodes();")
    assert len(mapped(little) - kept) == 1 and not mapped(little) & mapped(large) - kept
    assert len(mapped(both) - kept) == 2
    until(lambda: in_kernel(session) == kept)


def test_a_checkpoint_passes_it_on(session):
    kept = in_kernel(session)
    for _ in range(5):
        cell = f"cudaMemset(d, 5, {SIZE}); cgpu_checkpoint(); cudaMemset(d, 6, {SIZE}); inodes();"
        assert len(mapped(session.run(cell)) - kept) == 1
    session.run(f"cudaMemset(d, 7, {SIZE}); cgpu_checkpoint(); cudaMemset(d, 8, {SIZE}); *(volatile int *)8 = 1;")
    assert session.run(FIRST).ok().text == "7"
    until(lambda: in_kernel(session) == kept)


def test_a_device_that_is_full_takes_it_back(start_kernel):
    """128 MiB: two buffers, and old content of the first. The next cell needs all of that for a buffer of its own."""
    session = start_kernel(CGPU_UNDO="1M", CGPU_EMULATED_MEMORY=str(128 << 20))
    session.run(SETUP).ok()
    more = 128 - 24 - 12 - 4
    for value in range(2, 8):
        write, take = in_a_row(session, WRITE % value, f"char *all; cudaMalloc(&all, {more}u << 20); cudaFree(all);")
        write.ok()
        take.ok()
    assert session.run(FIRST).ok().text == "7"
    session.close()
