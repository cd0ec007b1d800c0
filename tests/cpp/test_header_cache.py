# SPDX-License-Identifier: Apache-2.0
"""Precompiled headers are made once on a machine, whatever folder a notebook is in, each with what is new in it only,
and kept up to a gigabyte."""
import os

VECTOR = "%%cpp\n#include <vector>\nstd::vector<int> v(3);"


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


def largest(cache):
    return max(cache.glob("cgpu/cpp-*.pch"), key=lambda path: path.stat().st_size)


def test_a_header_has_only_what_is_new_in_it(start_kernel, tmp_path):
    session = start_kernel(XDG_CACHE_HOME=str(tmp_path))
    session.run(VECTOR).ok()
    before, common = made(tmp_path), largest(tmp_path).stat().st_size
    assert session.run('#include <filesystem>\nstd::filesystem::path("a/b").filename().string()').ok().text == '"b"'
    new = [tmp_path / "cgpu" / name for name in made(tmp_path) - before]
    assert new and sum(path.stat().st_size for path in new) < common // 4, (new, common)


def test_a_session_may_include_one_header_after_the_other(start_kernel, tmp_path):
    """Clang writes headers that it cannot read when one is chained to too many."""
    session = start_kernel(XDG_CACHE_HOME=str(tmp_path))
    session.run(VECTOR).ok()
    for name in ("filesystem", "forward_list", "valarray", "regex", "numbers", "scoped_allocator"):
        session.run(f"%%cpp\n#include <{name}>\nv.push_back(v.size());").ok()
        session.wait_for_headers()  # with the instances that these cells use
    session.run("#include <cuda_fp16.h>\n__global__ void k(__half *h) { *h = __float2half(2); }").ok()
    shown = session.run("std::forward_list<std::valarray<int>> l(2); l.front().resize(v.size()); l.front().size()").ok()
    assert shown.text == "9"


def test_a_header_that_others_are_chained_to_may_be_damaged(start_kernel, tmp_path):
    cells = [VECTOR, "#include <filesystem>\nv.push_back(std::filesystem::path(\"a\").string().size()); v.back()"]
    first = start_kernel(XDG_CACHE_HOME=str(tmp_path))
    for cell in cells:
        first.run(cell).ok()
    common = largest(tmp_path)
    status = common.stat()
    content = bytearray(common.read_bytes())
    content[len(content) // 2] ^= 255
    common.write_bytes(content)
    os.utime(common, ns=(status.st_atime_ns, status.st_mtime_ns))
    second = start_kernel(XDG_CACHE_HOME=str(tmp_path))
    second.run("%%cpp\n#include <vector>\n#include <filesystem>\nstd::vector<int> v(3);").ok()
    assert second.run(cells[1]).ok().text == "1"
    second.wait_for_headers()
    assert common.read_bytes() != content


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
    session.run(VECTOR).ok()
    assert [p.exists() for p in old] == [False, False, True, True]
    assert [p.with_suffix(".fil").exists() for p in old] == [False, False, True, True]
    assert made(tmp_path) > {p.name for p in old[2:]}
