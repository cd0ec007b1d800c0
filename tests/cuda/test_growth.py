# SPDX-License-Identifier: Apache-2.0
"""Device memory grows by what is asked for, is given back, and is never too scattered for a request that fits (scenario A20)."""
import os
import resource
import subprocess
import sys

import descriptors
import pytest

MIB = 1 << 20


@pytest.fixture(scope="module")
def kernel_of_a_small_device(start_kernel):
    return start_kernel(CGPU_EMULATED_MEMORY="256M", CGPU_UNDO="0")  # what %undo keeps is not free


@pytest.fixture
def small_device(kernel_of_a_small_device):
    kernel_of_a_small_device.run("%reset").ok()
    kernel_of_a_small_device.run("#include <stdio.h>\n#define MIB ((size_t)1 << 20)\nint *piece[256], n;").ok()
    return kernel_of_a_small_device


def device_bytes(pid):
    """What the process holds of device memory, as Linux sees it."""
    return sum({file.st_ino: file.st_size for _, file in descriptors.named(pid, "memfd:cgpu-device-")}.values())


def largest(session):
    return session.run("%gpu").ok().printed.split("the largest request that fits: ")[1].split("\n")[0]


@pytest.mark.root
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


def test_a_full_device_has_room_in_pieces_that_small_ones_share(small_device):
    r = small_device.run("""char *s[2]; int result = cudaMalloc(&s[0], 1000), i;
for (n = 0; !cudaMalloc(&piece[n], 2 * MIB); n++);
cudaGetLastError();
for (i = 0; !result && i < 100; i++) result = cudaMalloc(&s[1], 10000);
printf("%d %d %d", n, i, result);
for (i = 0; i < n; i++) cudaFree(piece[i]);""").ok()
    assert r.stdout == "127 100 0", r.stdout


def test_more_pieces_than_the_kernel_process_may_have_files(start_kernel):
    """The session goes on, and has room for its own files."""
    session = start_kernel(CGPU_UNDO="0")
    session.run("char *piece[1000], *kept; int n; cudaMalloc(&kept, 2 << 20); cudaMemset(kept, 7, 1);").ok()
    resource.prlimit(session.pid, resource.RLIMIT_NOFILE, (400, 400))
    failed = session.run("for (n = 0; n < 1000; n++) cudaMalloc(&piece[n], 2 << 20);")
    assert failed.ename == "TooManyBuffers" and "fewer and larger buffers" in failed.traceback, failed.shown
    assert session.run('char b; cudaMemcpy(&b, kept, 1, cudaMemcpyDefault); printf("%d %d", b, n);').ok().stdout == "7 0"
    session.run("for (n = 0; n < 50; n++) cudaMalloc(&piece[n], 2 << 20);").ok()
    assert session.run("n").ok().text == "50"


DRIVER = """import ctypes, sys
cu, size = ctypes.CDLL("libcuda.so.1"), int(sys.argv[1])
context, pieces, p = ctypes.c_void_p(), [], ctypes.c_uint64()
assert not cu.cuInit(0) and not cu.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
assert not cu.cuCtxSetCurrent(context)
alloc = lambda n: cu.cuMemAlloc_v2(ctypes.byref(p), ctypes.c_size_t(n))
while not alloc(size):
    pieces.append(p.value)
freed = pieces[::2]
assert not any(cu.cuMemFree_v2(ctypes.c_uint64(a)) for a in freed)
print(len(pieces), alloc(len(freed) * size))"""

# The same in a cell; the second call is the driver's, as libraries call it.
ALTERNATE = """#include <stdlib.h>
#define ALTERNATE(TAKE, GIVE) { char *p[2000], *one; int n = 0; \\
  while (n < 2000 && !TAKE((void *)&p[n], SIZE)) n++; \\
  for (int i = 0; i < n; i += 2) GIVE((void *)p[i]); \\
  int result = TAKE((void *)&one, (n + 1) / 2 * (size_t)SIZE); \\
  printf("%d %d\\n", n, result); \\
  if (!result) GIVE((void *)one); \\
  for (int i = 1; i < n; i += 2) GIVE((void *)p[i]); \\
  cudaGetLastError(); }
#define DRIVER_TAKE(p, n) cuMemAlloc((CUdeviceptr *)(p), n)
#define DRIVER_GIVE(p) cuMemFree((CUdeviceptr)(p))"""


def test_pieces_that_scatter_the_driver_s_memory_leave_all_of_a_cell_s(small_device, prefix):
    size = 1 * MIB
    small_device.run(ALTERNATE.replace("SIZE", str(size))).ok()
    alone = subprocess.run([sys.executable, "-c", DRIVER, str(size)], text=True, capture_output=True,
                           env={**os.environ, "CGPU_EMULATED_MEMORY": "256M",
                                "LD_LIBRARY_PATH": str(prefix / "libexec" / "cgpu" / "emulated-driver")})
    # Two pieces share what the device gives out as one: half of it is free, and none of that can be mapped.
    assert alone.stdout == "256 2\n", alone.stderr
    driver = small_device.run("ALTERNATE(DRIVER_TAKE, DRIVER_GIVE)").ok().stdout
    assert driver == "256 2\n"
    pieces, result = map(int, small_device.run("ALTERNATE(cudaMalloc, cudaFree)").ok().stdout.split())
    assert result == 0
    # A piece has 2 MiB for itself: that is the price.
    assert pieces == 128
    assert largest(small_device) == "256 MB"
