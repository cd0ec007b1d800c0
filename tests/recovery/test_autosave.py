# SPDX-License-Identifier: Apache-2.0
"""The session that the kernel saves by itself: `%snapshot load last` after kill -9 of the kernel in a stream of cells."""
import os
import signal
import time

import pytest

from session import DEADLINE

SETUP = """enum { SIZE = 16 << 20, STEP = 1 << 14 };
int n = 0, other = 0;
unsigned *ballast = malloc(4 * SIZE);
{ unsigned x = 1; for (int i = 0; i < SIZE; i++) ballast[i] = x = x * 1664525u + 1013904223u; }
char *block = calloc(SIZE, 1);
enum { LARGE = 3 << 20 };
char *moving = calloc(LARGE, 1);
enum { OFTEN = 8 << 20 };
char *often = malloc(OFTEN); memset(often, 0, OFTEN);
int whole(int k) {
    int bad = other != k;
    for (int i = 0; i < SIZE; i += STEP)
        bad += *(int *)(block + i) != k;
    for (int i = 0; i < LARGE; i += STEP)
        bad += *(int *)(moving + i) != k;
    for (int i = 0; i < OFTEN; i++)
        bad += often[i] != k % 100;
    return !bad;
}"""
# Memory is taken and given back too: what is free may be handed to the system as soon as no %undo needs it.
STEP = """n = {k};
for (int i = 0; i < SIZE; i += STEP) *(int *)(block + i) = {k};
free(moving); moving = malloc(LARGE + {k} % 7 * 300000);
for (int i = 0; i < LARGE; i += STEP) *(int *)(moving + i) = {k};
memset(often, {k} % 100, OFTEN);
other = {k};"""
DEVICE_SETUP = """int *device; cudaMalloc(&device, 8 << 20); cudaMemset(device, 0, 8 << 20);
__device__ int counter = 0;
__constant__ int fixed;
__global__ void stamp(int *p, int k) {{ p[(blockIdx.x * blockDim.x + threadIdx.x) * 64] = k; counter = k; }}
int on_device(int k) {{
    static int copy[(8 << 20) / 4];
    int bad, c, f;
    cudaMemcpy(copy, device, 8 << 20, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&c, counter, sizeof(c)); cudaMemcpyFromSymbol(&f, fixed, sizeof(f));
    bad = c != k || f != k;
    for (int i = 0; i < (8 << 20) / 4; i += 64) bad += copy[i] != k;
    return !bad;
}}""".replace("{{", "{").replace("}}", "}")
DEVICE_STEP = """stamp<<<128, 256>>>(device, {k});
{{ int k = {k}; cudaMemcpyToSymbol(fixed, &k, sizeof(k)); }}
cudaDeviceSynchronize();"""


@pytest.fixture
def start(start_kernel, tmp_path):
    return lambda **env: start_kernel(cwd=tmp_path, HOME=str(tmp_path), XDG_STATE_HOME=str(tmp_path / "state"), **env)


def kill_kernel(session):
    os.kill(session.pid, signal.SIGKILL)
    session.manager.provisioner.process.wait()
    session.close()


class Watch:
    """How often the automatic snapshot was written."""

    def __init__(self, home):
        self.home, self.seen, self.writes = home, None, 0

    def look(self):
        for path in self.home.glob("state/cgpu/*/current.snapshot"):
            at = path.stat()
            if (at.st_ino, at.st_mtime_ns) != self.seen:
                self.seen = (at.st_ino, at.st_mtime_ns)
                self.writes += 1
        return self.writes


def stream(session, watch, step, writes):
    """Cells without a pause until the snapshot was written so often. The cell at which it was the first time, the last."""
    end = time.monotonic() + 3 * DEADLINE
    first, k = None, 0
    while watch.look() < writes:
        assert time.monotonic() < end, f"written {watch.writes} times while {k} cells were run"
        if watch.writes and first is None:
            first = k
        k += 1
        session.run(step.format(k=k)).ok()
    return first, k


# The first one writes all of the ballast: many cells are committed meanwhile. The third is of the last seconds.
@pytest.mark.parametrize("device, writes, undo",
                         [(False, 1, "0"), (False, 3, "256M"), pytest.param(True, 3, "0", marks=pytest.mark.cuda),
                          pytest.param(True, 1, "256M", marks=pytest.mark.cuda)])
def test_kill_9_in_a_stream_of_cells(start, tmp_path, device, writes, undo):
    first = start(CGPU_UNDO=undo)
    first.run(SETUP).ok()
    if device:
        first.run(DEVICE_SETUP).ok()
    early, late = stream(first, Watch(tmp_path), STEP + (DEVICE_STEP if device else ""), writes)
    kill_kernel(first)
    second = start()
    shown = second.run("%snapshot load last").ok()
    assert "What could not" not in shown.stderr, shown.stderr
    k = int(second.run("n").ok().text)
    assert (early or 1) - 1 <= k <= late
    assert second.run("whole(n)").ok().text == "1", k
    if device:
        assert second.run("on_device(n)").ok().text == "1", k
    # It goes on.
    second.run((STEP + (DEVICE_STEP if device else "")).format(k=k + 1)).ok()
    assert second.run("whole(n)").ok().text == "1"
    second.close()
