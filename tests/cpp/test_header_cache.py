# SPDX-License-Identifier: Apache-2.0
"""Precompiled headers are made once on a machine, whatever folder a notebook is in, and kept up to a gigabyte."""
import os


def made(cache):
    """But for those with instances, which come a while after a cell."""
    return {path.name for path in (cache / "cgpu").glob("*.pch") if "-instances" not in path.name}


def test_notebooks_in_different_folders_share_headers(start_kernel, tmp_path):
    # The kernel waits for the header that is made ahead for the device.
    cells = ["%%cpp\nint twice(int x) { return 2 * x; }", "__global__ void k() { }",
             "#include <vector>\nstd::vector<int> v(3); v.size()", "1 + 1"]
    first = start_kernel(XDG_CACHE_HOME=str(tmp_path))
    for cell in cells:
        first.run(cell).ok()
    headers = made(tmp_path)
    assert len(headers) >= 4, headers
    second = start_kernel(XDG_CACHE_HOME=str(tmp_path))
    for cell in cells:
        second.run(cell).ok()
    assert made(tmp_path) == headers


def test_those_that_were_not_read_for_longest_make_room(start_kernel, tmp_path):
    folder = tmp_path / "cgpu"
    folder.mkdir(mode=0o700)
    old = [folder / f"cpp-{i:032x}.pch" for i in range(4)]
    for seconds, path in enumerate(old):
        path.with_suffix(".fil").touch()
        path.touch()
        os.truncate(path, 400 << 20)
        os.utime(path, (1 + seconds, 1))
    session = start_kernel(XDG_CACHE_HOME=str(tmp_path))
    session.run("%%cpp\n#include <vector>\nstd::vector<int> v(3);").ok()
    assert [p.exists() for p in old] == [False, False, True, True]
    assert [p.with_suffix(".fil").exists() for p in old] == [False, False, True, True]
    assert made(tmp_path) > {p.name for p in old[2:]}
