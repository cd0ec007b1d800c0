# SPDX-License-Identifier: Apache-2.0
"""Something else in place of a file that the kernel process opens, as a cell can put it there: a FIFO, which open() waits
for, a folder, a device. It costs what the file is for and says so; the kernel answers."""
import ctypes
import os
import shutil
import struct

import pytest


def put(path, kind):
    """In place of what is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    if kind == "FIFO":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "character device":
        path.symlink_to("/dev/zero")


KINDS = ["FIFO", "folder", "character device"]


def answers(session):
    assert session.ask("kernel_info")["status"] == "ok"
    assert session.run("20 + 22").ok().text == "42"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("append", ["", "-a "])
def test_writefile(kernel, tmp_path, kind, append):
    path = tmp_path / "file.txt"
    put(path, kind)
    r = kernel.run(f"%%writefile {append}{path}\ntext\n")
    assert r.status == "error"
    assert f"%%writefile: cannot write {path}: it is a {kind}, not a regular file" in r.traceback
    answers(kernel)


def test_writefile_with_a_reader_at_the_other_end(kernel, tmp_path):
    """Who reads slowly would hold the kernel at any byte."""
    path = tmp_path / "file.txt"
    put(path, "FIFO")
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        text = "x" * 1000 + "\n"
        assert kernel.run(f"%%writefile {path}\n{text * 200}").status == "error"
        answers(kernel)
    finally:
        os.close(fd)


@pytest.fixture
def saved(start_kernel, tmp_path):
    """A session with a snapshot `one`, and the folder of its snapshots."""
    session = start_kernel(HOME=str(tmp_path), XDG_STATE_HOME=str(tmp_path / "state"), CGPU_AUTOSAVE="0")
    session.run("int kept = 3;").ok()
    session.run("%snapshot save one").ok()
    yield session, next((tmp_path / "state" / "cgpu").iterdir())
    session.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_snapshot(saved, kind):
    session, folder = saved
    put(folder / "one.snapshot", kind)
    for line in ("%snapshot load one", "%snapshot diff one"):
        r = session.run(line)
        assert r.status == "error" and f"it is a {kind}, not a regular file" in r.traceback, r.shown
    assert f"it is a {kind}, not a regular file" in session.run("%snapshots").ok().stdout
    answers(session)
    assert session.run("kept").ok().text == "3"


@pytest.mark.parametrize("kind", KINDS)
def test_the_blocks_of_snapshots(saved, kind):
    session, folder = saved
    put(folder / "blocks", kind)
    for line in ("%snapshot load one", "%snapshot save two", "%snapshots"):
        r = session.run(line)
        assert r.status == "error" and f"`blocks` of snapshots: it is a {kind}, not a regular file" in r.traceback, r.shown
    answers(session)
    put(folder / "blocks", "nothing")
    session.run("%snapshot save two").ok()
    session.run("%snapshot load two").ok()


def test_blocks_that_were_made_longer_than_any_disk(saved):
    """A file with a hole that would be read for years."""
    session, folder = saved
    os.truncate(folder / "blocks", 1 << 43)
    assert "one" in session.run("%snapshots").ok().stdout
    session.run("%snapshot load one").ok()
    session.run("%snapshot save two").ok()
    assert (folder / "blocks").stat().st_size < 1 << 30
    answers(session)


def test_a_snapshot_of_an_impossible_time(saved):
    """The record is whole, so the number is believed."""
    hash_of = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
    hash_of.restype = ctypes.c_uint64
    session, folder = saved
    path = folder / "one.snapshot"
    record = bytearray(path.read_bytes())
    at = 16 + 4 + 4 + len("x86-64" if os.uname().machine == "x86_64" else "aarch64") + 1 + 8
    now = struct.unpack_from("<q", record, at)[0]
    assert abs(now - path.stat().st_mtime) < 3600
    struct.pack_into("<q", record, at, (1 << 63) - 1)
    body = bytes(record[16:-8])
    record[-8:] = struct.pack("<Q", hash_of(body, ctypes.c_size_t(len(body))))
    path.write_bytes(record)
    assert "at an impossible time" in session.run("%snapshots").ok().stdout
    session.run("%snapshot load one").ok()
    answers(session)


@pytest.mark.parametrize("kind", KINDS)
def test_the_limits_of_the_user(start_kernel, tmp_path, kind):
    """They are read before the kernel opens its sockets."""
    (tmp_path / "cgpu").mkdir()
    put(tmp_path / "cgpu" / "cgpu.conf", kind)
    session = start_kernel(XDG_CONFIG_HOME=str(tmp_path))
    assert f"cgpu.conf: it is a {kind}, not a regular file" in session.run("%doctor").ok().shown
    answers(session)
    session.close()


@pytest.mark.parametrize("kind", ["FIFO", "folder"])
def test_the_list_by_which_kernels_share_devices(start_kernel, tmp_path, kind):
    put(tmp_path / "share", kind)
    session = start_kernel(CGPU_SHARE=str(tmp_path / "share"))
    assert f"{tmp_path}/share: it is a {kind}, not a regular file" in session.run("%doctor").ok().shown
    answers(session)
    session.close()


@pytest.mark.cuda
def test_the_header_beside_a_library(kernel, tmp_path):
    """cuDNN's version is read from it."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "include").mkdir()
    put(tmp_path / "include" / "cudnn_version.h", "FIFO")
    library = tmp_path / "lib" / "libcudnn.so.9"
    kernel.run(f"!echo 'int cudnn_stands_here;' | cc -x c -shared -fPIC -Wl,-soname,libcudnn.so.9 -o {library} -").ok()
    kernel.run(f"%ldflags {library}\nextern int cudnn_stands_here;\ncudnn_stands_here").ok()
    kernel.run("%doctor").ok()
    answers(kernel)
