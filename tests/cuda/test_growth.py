# SPDX-License-Identifier: Apache-2.0
"""Device memory grows by what is asked for, is given back, and is never too scattered for a request that fits (scenario A20)."""
import os

import pytest

MIB = 1 << 20


@pytest.fixture(scope="module")
def small_device(start_kernel):
    session = start_kernel(CGPU_EMULATED_MEMORY="256M", CGPU_UNDO="0")  # what %undo keeps is not free
    session.run("#include <stdio.h>\n#define MIB ((size_t)1 << 20)\nint *piece[256], n;").ok()
    return session


def device_bytes(pid):
    """What the process holds of device memory, as Linux sees it."""
    held = {}
    for fd in os.listdir(f"/proc/{pid}/fd"):
        path = f"/proc/{pid}/fd/{fd}"
        if "memfd:cgpu-device-" in os.readlink(path):
            held[os.stat(path).st_ino] = os.stat(path).st_size
    return sum(held.values())


def largest(session):
    return session.run("%gpu").ok().stdout.split("the largest request that fits: ")[1].split("\n")[0]


def test_memory_is_taken_as_needed_and_given_back_when_freed(small_device):
    assert device_bytes(small_device.pid) == 0
    for size in (10, 40, 20):
        small_device.run(f"cudaMalloc(&piece[0], {size} * MIB);").ok()
        assert device_bytes(small_device.pid) == size * MIB
        small_device.run("cudaFree(piece[0]);").ok()
        assert device_bytes(small_device.pid) == 0


FILL = """n = 0;
while (cudaMalloc(&piece[n], SIZE * MIB) == cudaSuccess) { cudaMemset(piece[n], n + 1, SIZE * MIB); n++; }
printf("%d %s", n, cudaGetErrorString(cudaGetLastError()));"""


@pytest.mark.parametrize("size", [2, 6, 16])
def test_every_second_piece_freed_leaves_room_for_half_the_device(small_device, size):
    pieces, text = small_device.run(FILL.replace("SIZE", str(size))).ok().stdout.split(" ", 1)
    pieces = int(pieces)
    assert text == "out of memory"
    assert pieces == 256 // size
    small_device.run("for (int i = 0; i < n; i += 2) cudaFree(piece[i]);").ok()
    free = 256 - pieces // 2 * size
    assert largest(small_device) == f"{free} MB"
    # A worker that comes new finds it as it was.
    assert small_device.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert largest(small_device) == f"{free} MB"
    r = small_device.run(f"""int *big;
printf("%d", cudaMalloc(&big, {free} * MIB)); cudaMemset(big, 255, {free} * MIB);""").ok()
    assert r.stdout == "0"
    assert largest(small_device) == "0 B"
    # The pieces between have what they had.
    assert small_device.run("""int wrong = 0; unsigned char b[2];
for (int i = 1; i < n; i += 2) {
  cudaMemcpy(b, piece[i], 1, cudaMemcpyDefault); cudaMemcpy(b + 1, (char *)piece[i] + MIB, 1, cudaMemcpyDefault);
  wrong += b[0] != i + 1 || b[1] != i + 1; }
wrong""").ok().text == "0"
    small_device.run("cudaFree(big); for (int i = 1; i < n; i += 2) cudaFree(piece[i]);").ok()
    assert largest(small_device) == "256 MB"


def test_a_cell_may_take_and_give_back_more_than_there_is(small_device):
    r = small_device.run("""for (int i = 0; i < 40; i++) {
  void *p; CUdeviceptr q;
  if (cudaMalloc(&p, (20 + i) * MIB) || cudaFree(p)) break;
  if (cuMemAlloc(&q, (20 + i) * MIB) || cuMemFree(q)) break;
  n = i; }
printf("%d", n);""").ok()
    assert r.stdout == "39" and not r.stderr
