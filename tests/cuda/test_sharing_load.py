# SPDX-License-Identifier: Apache-2.0
"""Kernels that share one small device take, give back, fail and die at random; Linux is asked what they really have.

Device memory of the emulated device is a memfd of a name of its own. One that was seen before and after a moment
existed at that moment, so the sums below are never too high. CGPU_LOAD_STEPS is the number of cells of each kernel,
CGPU_LOAD_SEED another order of events.
"""
import os
import random
import re
import threading
import time

import pytest

from session import wait_until

MB = 1 << 20
DEVICE = 256
MEMORY = re.compile(r"/memfd:cgpu-device-\d+ \(deleted\)")
POOL = 2            # small things of a session share chunks of so many MB
SLACK_S = 3         # between two who wait: until each has heard that there is room
SLOTS = 6
LOAD = 300          # seconds for a cell, at most

BASE = """#include <stdio.h>
#include <time.h>
#include <unistd.h>
char *b[%d];
double now() { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
void say(const char *what) { printf("%%s %%.6f %%d\\n", what, now(), (int)getpid()); fflush(stdout); }
void take(int i, size_t n, int v) { say("asks"); cudaMalloc(&b[i], n); say("has"); cudaMemset(b[i], v, n); }
int is(int i, size_t n, int v) { char h[2]; cudaMemcpy(h, b[i], 1, cudaMemcpyDefault);
	cudaMemcpy(h + 1, b[i] + n - 1, 1, cudaMemcpyDefault); return h[0] == v && h[1] == v; }
__global__ void spoil(int *p) { p[threadIdx.x] = 1; }""" % SLOTS


class Watch:
    """What the processes of some kernels have of the device."""

    def __init__(self, mark):
        self.needle = f"CGPU_TEST_MARK={mark}".encode()
        self.ours, self.caps, self.owner = {}, {}, {}
        self.peak, self.looks, self.wrong = 0, 0, []
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _is_ours(self, pid):
        with open(f"/proc/{pid}/comm") as f:
            if not f.read().startswith("cgpu-"):
                return False
        if pid not in self.ours:
            try:
                with open(f"/proc/{pid}/environ", "rb") as f:
                    self.ours[pid] = self.needle in f.read().split(b"\0")
            except OSError:
                return False
        return self.ours[pid]

    def _kernel_of(self, pid):
        while pid > 1 and pid not in self.caps:
            with open(f"/proc/{pid}/stat") as f:
                pid = int(f.read().rsplit(")", 1)[1].split()[1])
        return pid

    def _of_process(self, pid, found):
        for fd in os.scandir(f"/proc/{pid}/fd"):
            try:
                if MEMORY.fullmatch(os.readlink(fd.path)):
                    st = os.stat(fd.path)
                    found[st.st_ino] = st.st_size
                    self.owner.setdefault(st.st_ino, self._kernel_of(pid))
            except OSError:
                continue

    def look(self):
        """{inode: bytes} of all that any of the processes has open at some moment of the look."""
        found = {}
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            try:
                if self._is_ours(pid):
                    self._of_process(pid, found)
            except OSError:
                continue
        return found

    def held_by(self, kernel):
        return {i for i in self.look() if self.owner.get(i) == kernel}

    def _check(self, there):
        sums = {}
        for inode, size in there.items():
            sums[self.owner[inode]] = sums.get(self.owner[inode], 0) + size
        total = sum(sums.values())
        self.peak = max(self.peak, total)
        text = ", ".join(f"{k}: {v // MB} MB" for k, v in sorted(sums.items()))
        if total > DEVICE * MB:
            self.wrong.append(f"{total // MB} MB are taken of a device of {DEVICE} MB ({text})")
        for kernel, cap in list(self.caps.items()):
            if sums.get(kernel, 0) > (cap + POOL) * MB:
                self.wrong.append(f"kernel {kernel} has {sums[kernel] // MB} MB, its limit is {cap} MB")

    def _run(self):
        before = self.look()
        while not self.ended.wait(0.01):
            after = self.look()
            self._check({i: size for i, size in after.items() if i in before})
            before = after
            self.looks += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


class Player:
    """One notebook: its cells are random, and what it must hold afterwards is known."""

    def __init__(self, start, watch, number, cap, waits, seed):
        self.launch, self.watch, self.number, self.cap, self.waits = start, watch, number, cap, waits
        self.random = random.Random(f"{seed}/{number}")
        self.mine, self.seen, self.asked = {}, {}, []
        self.begin()

    def begin(self):
        self.session = self.launch(f"notebook-{self.number}.ipynb")
        self.watch.caps[self.session.pid] = self.cap
        self.mine = {}
        wait = "%limit wait 10min\n" if self.waits else ""
        self.session.run(f"%limit gpu {self.cap}M\n%gpu rollback host\n{wait}{BASE}").ok()

    # --- cells ---

    def _note(self, answer):
        """How it ended; when it came and when it was served, by one clock for all."""
        kind = answer.ename or "ok"
        self.seen[kind] = self.seen.get(kind, 0) + 1
        said = dict((word, float(at)) for word, at, _ in re.findall(r"(asks|has) (\S+) (\d+)", answer.stdout))
        if "asks" in said and "has" in said:
            self.asked.append((said["asks"], said["has"], self.number))

    def _cell(self, code, *enames):
        """Of `enames` one is due, or it works. Who waits finds the device full only when all wait."""
        answer = self.session.run(code, deadline=LOAD)
        self._note(answer)
        if answer.ename == "CudaOutOfMemory" and "CudaOutOfMemory" not in enames:
            full = "share 256 MB" in answer.traceback
            assert full and (not self.waits or "one has to give way" in answer.traceback), answer.shown
            return None
        assert answer.ename in enames if enames else answer.status == "ok", (self.number, code, answer.shown)
        return answer

    def _new(self):
        slot = self.random.choice([i for i in range(SLOTS) if i not in self.mine])
        return slot, 2 * self.random.randrange(1, self.cap // 4) * MB, self.random.randrange(1, 100)

    def _fits(self, size):
        return sum(n for n, _ in self.mine.values()) + size <= self.cap * MB

    def take(self):
        slot, size, value = self._new()
        if self._fits(size) and self._cell(f"take({slot}, {size}, {value});"):
            self.mine[slot] = size, value

    def give(self):
        for slot in self.random.sample(sorted(self.mine), self.random.randrange(len(self.mine) + 1)):
            if self._cell(f"cudaFree(b[{slot}]); b[{slot}] = 0;"):
                del self.mine[slot]

    def check(self):
        lines = " && ".join(f"is({slot}, {size}, {value})" for slot, (size, value) in self.mine.items()) or "1"
        answer = self._cell(f'printf("%d", {lines});')
        assert not answer or answer.stdout == "1", (self.number, self.mine, answer.shown)

    def ask_too_much(self):
        answer = self._cell(f"char *q; cudaMalloc(&q, {(self.cap + 2) * MB});", "CudaOutOfMemory")
        assert "limit" in answer.traceback or "parked" in answer.evalue, answer.shown

    def fault(self):
        slot, size, value = self._new()
        if self._fits(size):
            self._cell(f"take({slot}, {size}, {value}); *(volatile int *)0 = 1;", "SegmentationFault")

    def device_fault(self):
        slot, size, value = self._new()
        if self._fits(size):
            self._cell(f"take({slot}, {size}, {value}); spoil<<<1, 32>>>((int *)(b[{slot}] + {size})); "
                       "cudaDeviceSynchronize();", "CudaIllegalAddress")

    def _spin(self):
        """The worker of a cell that has taken memory and runs on; None: there was none to be had."""
        slot, size, value = self._new()
        if not self._fits(size):
            size = 0
        code = f"take({slot}, {size}, {value});" if size else ""
        running = self.session.start(code + ' say("spins"); for (;;);')
        end = time.monotonic() + LOAD
        while "spins" not in running.result.stdout and not running.idle:
            running._next(end)
        if not running.idle:
            return running, int(re.search(r"spins \S+ (\d+)", running.result.stdout)[1])
        answer = running.wait()
        assert answer.ename == "CudaOutOfMemory", answer.shown
        return running, 0

    def kill_worker(self):
        running, pid = self._spin()
        if pid:
            self.session.kill(pid)
            answer = running.wait(LOAD)
            assert answer.ename == "WorkerKilled", answer.shown
            self._note(answer)

    def kill_kernel(self):
        """With all that it has, in the middle of a cell."""
        self._spin()
        pid = self.session.pid
        self.session.kill(pid)
        assert wait_until(lambda: not self.watch.held_by(pid)), f"kernel {pid} is dead, and still has memory"
        self.session.close()
        self.begin()

    def play(self, steps, kills):
        kinds = [self.take] * 6 + [self.give] * 4 + [self.check] * 2 + [self.fault, self.device_fault, self.kill_worker,
                                                                       self.ask_too_much]
        for step in range(steps):
            if kills and step % kills == kills - 1:
                self.kill_kernel()
            kind = self.random.choice(kinds)
            if len(self.mine) == SLOTS or (not self.mine and kind in (self.give, self.check)):
                kind = self.take if not self.mine else self.give
            kind()


def out_of_turn(asked):
    """Pairs of which the later one was served although the earlier one went on to wait."""
    return [(a, b) for a in asked for b in asked if a[0] + SLACK_S < b[0] and b[1] + SLACK_S < a[1]]


@pytest.mark.root
@pytest.mark.parametrize("n, cap, steps", [(2, 200, 30), (8, 96, 18)])
def test_kernels_under_load_share_a_device(on_one_device, mark, n, cap, steps):
    seed, steps = os.environ.get("CGPU_LOAD_SEED", "1"), int(os.environ.get("CGPU_LOAD_STEPS", steps))
    failed = []

    def start(name):
        return on_one_device(name, CGPU_EMULATED_MEMORY=f"{DEVICE}M", CGPU_UNDO="1M", CGPU_AUTOSAVE="0")

    def play(player):
        try:
            player.play(steps, steps // 2 if player.number == 0 else 0)
        except BaseException as e:
            failed.append(e)

    with Watch(mark) as watch:
        players = [Player(start, watch, i, cap, i % 4 != 3, seed) for i in range(n)]
        threads = [threading.Thread(target=play, args=(p,)) for p in players]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if failed:
        raise failed[0]
    asked = [a for p in players for a in p.asked]
    waited = [has - asks for asks, has, _ in asked]
    print(f"{n} kernels, {watch.looks} looks, at most {watch.peak // MB} MB taken, {len(asked)} requests, "
          f"{sum(w > 0.1 for w in waited)} waited, {max(waited):.1f} s at most; ends: {[p.seen for p in players]}")
    assert not watch.wrong, watch.wrong[:3]
    assert watch.peak > DEVICE * MB // 2, "the device was never half full: this has looked at nothing"
    assert not out_of_turn(asked)
    for p in players:
        p.check()
    # What a kernel has that dies is given to the one that waits for it.
    rich, poor = (p.session for p in players[:2])
    for p in players[2:]:
        p.session.close()
    for session in (rich, poor):
        session.run("%limit gpu off\n%limit wait 10min\n%park wanted off").ok()
        session.run(f"for (int i = 0; i < {SLOTS}; i++) cudaFree(b[i]);").ok()
    rich.run("for (int i = 0; i < 2; i++) cudaMalloc(&b[i], 80 << 20);").ok()
    waiting = poor.start("take(0, 120 << 20, 1);").wait_output("asks")
    rich.kill(rich.pid)
    waiting.wait().ok()
    for session in (rich, poor):
        session.close()
