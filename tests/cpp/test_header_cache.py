# SPDX-License-Identifier: Apache-2.0
"""Precompiled headers are made once on a machine, whatever folder a notebook is in."""


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
