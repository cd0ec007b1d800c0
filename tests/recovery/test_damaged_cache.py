# SPDX-License-Identifier: Apache-2.0
"""Whatever lies in the place of a file of the cache folder, cells compile, and the file is made anew."""
import os
import shutil
import stat

import pytest

pytestmark = pytest.mark.long

CELLS = [("int kept = 7;\nkept", "7"), ("#include <math.h>\ndouble one_of_c = cos(0);\none_of_c", "1.0"),
         ("%%cpp\n#include <vector>\nstd::vector<int> two_of_cpp{ 1, 2 };\ntwo_of_cpp.size()", "2"),
         ("__global__ void five(int *to) { *to = 5; }\nint *to;\ncudaMallocManaged(&to, 4);\nfive<<<1, 1>>>(to);\n"
          "cudaDeviceSynchronize();\n*to", "5")]


def garbage(path):
    path.write_bytes(b"garbage\n" * 1000)


def truncated(path):
    os.truncate(path, path.stat().st_size // 2)


def other_byte(path):
    with path.open("r+b") as f:
        f.seek(path.stat().st_size // 2)
        byte = f.read(1)
        if not byte:  # one that the process which makes headers ahead has left empty
            return
        f.seek(-1, os.SEEK_CUR)
        f.write(bytes([byte[0] ^ 1]))


def pipe(path):
    path.unlink()
    os.mkfifo(path)


def folder(path):
    path.unlink()
    path.mkdir()
    (path / "file").touch()


def link_to_a_device(path):
    path.unlink()
    path.symlink_to("/dev/zero")


DAMAGES = pytest.mark.parametrize("damage", [garbage, truncated, other_byte, pipe, folder, link_to_a_device])


def damage_all(cache, damage):
    # What is being made, ahead of a cell, has the number of its process behind it, and may be gone at any moment.
    files = [p for p in (cache / "cgpu").rglob("*") if p.is_file() and not p.is_symlink() and not p.suffix[1:].isdigit()]
    # A unit, which has no suffix, need not be there: cells that lack a header are compiled without being kept.
    assert {".pch", ".fil", ".names"} <= {p.suffix for p in files}, files
    for path in files:
        damage(path)


def play(session, n=3):
    for cell, value in CELLS[:n]:
        r = session.run(cell, deadline=120).ok()
        assert r.text == value
    session.wait_for_headers()


def assert_made_anew(cache):
    """Of each kind there is a file again that cells read."""
    for pattern in ("prelude-*.pch", "prelude-*.names", "cpp-*.pch", "cpp-*.fil"):
        modes = [p.lstat().st_mode for p in (cache / "cgpu").glob(pattern)]
        assert any(map(stat.S_ISREG, modes)), pattern


@pytest.fixture(scope="module")
def made(start_kernel, tmp_path_factory):
    """A cache folder in which all is made."""
    cache = tmp_path_factory.mktemp("made")
    session = start_kernel(XDG_CACHE_HOME=str(cache))
    play(session, 4 if session.has_cuda else 3)
    session.close()
    return cache


@DAMAGES
def test_between_two_cells(start_kernel, made, tmp_path, damage):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    session = start_kernel(XDG_CACHE_HOME=str(tmp_path))
    play(session)
    damage_all(tmp_path, damage)
    assert session.run("kept").ok().text == "7"
    play(session)
    assert_made_anew(tmp_path)
    session.close()


@pytest.mark.parametrize("damage", [garbage, pipe])
def test_between_two_kernels(start_kernel, made, tmp_path, damage):
    """Headers for the device, too."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    damage_all(tmp_path, damage)
    session = start_kernel(XDG_CACHE_HOME=str(tmp_path))
    play(session, 4 if session.has_cuda else 3)
    assert_made_anew(tmp_path)
    session.close()
