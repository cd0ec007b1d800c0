# SPDX-License-Identifier: Apache-2.0
"""Saving, loading and comparing while the kernel answers others: interrupted, shut down, and in a folder that another uses."""
import fcntl
import os
import signal
import time
from contextlib import contextmanager

import pytest

from session import DEADLINE, alive, stop, wait_until

WORK = ["save other", "load one", "diff one"]


@pytest.fixture
def start(start_kernel, tmp_path):
    return lambda **env: start_kernel(cwd=tmp_path, HOME=str(tmp_path), XDG_STATE_HOME=str(tmp_path / "state"),
                                      CGPU_AUTOSAVE="0", **env)


@pytest.fixture
def folder(tmp_path):
    def find():
        found = list((tmp_path / "state" / "cgpu").iterdir())
        assert len(found) == 1
        return found[0]
    return find


@contextmanager
def locked(folder):
    """As another kernel that writes there: all work in the folder waits."""
    fd = os.open(folder, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(fd)


def session_with_one(start):
    session = start()
    session.run("int a = 1; int *block = calloc(1 << 20, 4);\n"
                "float *dev; cudaMalloc(&dev, 1 << 20); cudaMemset(dev, 1, 1 << 20);").ok()
    session.run("%snapshot save one").ok()
    session.run("a = 2; block[5] = 3; cudaMemset(dev, 2, 4096);").ok()
    return session


@pytest.mark.cuda
@pytest.mark.parametrize("work", WORK)
def test_the_kernel_answers_and_an_interrupt_ends_it(start, folder, work):
    session = session_with_one(start)
    with locked(folder()):
        pending = session.start(f"%snapshot {work}\nint after = 1;")
        assert session.ask("kernel_info")["status"] == "ok"
        assert "block" in session.ask("complete", "blo", 3)["matches"]
        session.client.control_channel.send(session.client.session.msg("kernel_info_request"))
        assert session.client.get_control_msg(timeout=DEADLINE)["msg_type"] == "kernel_info_reply"
        assert session.client.hb_channel.is_beating()
        assert not pending.idle
        session.interrupt()
        ended = pending.wait()
    assert ended.ename == "Interrupted" and "given up" in ended.evalue, ended.shown
    assert session.run("a + block[5]").ok().text == "5"
    assert session.run("after").ename == "CompileError"
    assert "other" not in session.run("%snapshots").ok().stdout
    session.run(f"%snapshot {work}").ok()
    session.run("%snapshot load one").ok()
    assert session.run("a + block[5]").ok().text == "1"
    session.close()


@pytest.mark.cuda
@pytest.mark.parametrize("rest", ["", "int after = 1;", "%snapshot save later"])
def test_an_interrupt_that_comes_too_late(start, rest):
    """The session is that of the snapshot already, and only waits for the worker that takes it over."""
    session = session_with_one(start)
    spare, zygote = session.spare_pid(), session.zygote_pid()
    workers = session.workers()
    assert spare in workers
    stop(zygote)
    pending = session.start(f"%snapshot load one\n{rest}")
    assert wait_until(lambda: not any(map(alive, workers)))
    session.interrupt()
    os.kill(zygote, signal.SIGCONT)
    ended = pending.wait()
    assert "The session is that of" in ended.stdout
    if rest:
        assert ended.ename == "Interrupted", ended.shown
        assert ended.evalue == "interrupted; `%snapshot` is complete, and nothing after it was run"
        assert "later" not in session.run("%snapshots").ok().stdout
    else:
        ended.ok()
    assert session.run("a + block[5]").ok().text == "1"
    session.close()


@pytest.mark.cuda
@pytest.mark.parametrize("work", WORK)
def test_shut_down_meanwhile(start, folder, work):
    session = session_with_one(start)
    with locked(folder()):
        session.start(f"%snapshot {work}")
        assert session.ask("kernel_info")["status"] == "ok"
        session.close()
    assert sorted(p.name for p in folder().iterdir()) == ["blocks", "one.snapshot"]
    second = start()
    second.run("%snapshot load one").ok()
    assert second.run("a").ok().text == "1"
    second.close()


@pytest.mark.cuda
def test_two_of_them_in_one_cell(start):
    session = session_with_one(start)
    session.run("%snapshot save two\n%snapshot save three\n%snapshot diff two\n%snapshot load one").ok()
    assert session.run("a").ok().text == "1"
    session.run("%snapshot load three").ok()
    assert session.run("a").ok().text == "2"
    session.close()


def test_two_kernels_save_into_one_folder(start, folder):
    """Both write, and drop what makes the other sweep: every snapshot stays whole."""
    kernels = [start(), start()]
    for i, k in enumerate(kernels):
        k.run(f"enum {{ MANY = 3 << 20 }}; unsigned *noise = malloc(4 * MANY), seed = {i}, round;\n"
              "void fill(unsigned r) { unsigned x = r * 2 + seed; for (int i = 0; i < MANY; i++)"
              " noise[i] = x = x * 1664525u + 1013904223u; round = r; }\n"
              "int whole(void) { unsigned x = round * 2 + seed; for (int i = 0; i < MANY; i++)"
              " if (noise[i] != (x = x * 1664525u + 1013904223u)) return 0; return 1; }").ok()
    for turn in range(4):
        for k in kernels:
            k.run(f"fill({turn});").ok()
        pending = [k.start(f"%snapshot save mine{i}\n%snapshot save again{i}") for i, k in enumerate(kernels)]
        for p in pending:
            p.wait().ok()
    # 2 MB x 12 x 4 were written, half of them for snapshots that are gone.
    assert (folder() / "blocks").stat().st_size < 5 * (12 << 20)
    for i, k in enumerate(kernels):
        k.run("fill(77);").ok()
        for name in (f"mine{i}", f"again{i}"):
            k.run(f"%snapshot load {name}").ok()
            assert k.run("whole() && round == 3").ok().text == "1"
        k.close()


@pytest.mark.cuda
def test_a_folder_that_stays_locked(start, folder):
    session = session_with_one(start)
    with locked(folder()):
        begin = time.monotonic()
        refused = session.run("%snapshot save other")
    assert refused.status == "error" and "another kernel" in refused.evalue and time.monotonic() - begin < DEADLINE
    session.run("%snapshot save other").ok()
    session.close()


@pytest.mark.cuda
def test_partial_files_are_swept(start, folder):
    session = session_with_one(start)
    where = folder()
    for name in (".writing", "blocks.new"):
        (where / name).write_bytes(b"cut short")
    session.run("%snapshot save two").ok()
    assert sorted(p.name for p in where.iterdir()) == ["blocks", "one.snapshot", "two.snapshot"]
    session.close()


@pytest.mark.cuda
@pytest.mark.parametrize("obstacle", ["blocks", "other.snapshot", "folder"])
def test_what_cannot_be_written_is_said(start, folder, obstacle):
    """Where a file is to be there is a folder, and the other way round."""
    session = session_with_one(start)
    where = folder()
    if obstacle == "folder":
        where.rename(where.parent / "aside")
        where.write_text("a file")
    else:
        if obstacle == "blocks":
            (where / "blocks").rename(where / "aside")
        (where / obstacle).mkdir()
    refused = session.run("%snapshot save other")
    assert refused.status == "error" and "was not written" in refused.evalue and str(where) in refused.evalue, refused.shown
    assert session.run("a").ok().text == "2"
    if obstacle == "folder":
        where.unlink()
        (where.parent / "aside").rename(where)
    else:
        assert not (where / ".writing").exists()
        (where / obstacle).rmdir()
        if obstacle == "blocks":
            (where / "aside").rename(where / "blocks")
    session.run("%snapshot save other").ok()
    session.run("%snapshot load one").ok()
    assert session.run("a").ok().text == "1"
    session.close()


@pytest.mark.cuda
def test_the_worker_dies_while_device_memory_is_read(start):
    """What was committed is read from the next worker."""
    session = session_with_one(start)
    worker = session.worker_pid()
    stop(worker)
    pending = session.start("%snapshot save other")
    assert session.ask("kernel_info")["status"] == "ok"
    session.kill(worker)
    pending.wait().ok()
    session.run("cudaMemset(dev, 9, 1 << 20);").ok()
    session.run("%snapshot load other").ok()
    copied = "unsigned char seen[8192]; cudaMemcpy(seen, dev, 8192, cudaMemcpyDeviceToHost); seen[4095] * 10 + seen[4096]"
    assert session.run(copied).ok().text == "21"
    session.close()
