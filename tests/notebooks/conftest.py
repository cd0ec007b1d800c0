# SPDX-License-Identifier: Apache-2.0
"""What programs that run notebooks need to find the installed kernels, with a home that is nobody's."""
import os

import pytest


@pytest.fixture(scope="module")
def jupyter(prefix, mark, cache, tmp_path_factory):
    """Their environment."""
    home = tmp_path_factory.mktemp("home")
    return {**os.environ, "JUPYTER_PATH": str(prefix / "share" / "jupyter"), "HOME": str(home),
            "XDG_CACHE_HOME": str(cache), "JUPYTER_DATA_DIR": str(home / "jupyter"),
            "IPYTHONDIR": str(home / "ipython"), "CGPU_TEST_MARK": mark}


@pytest.fixture(scope="module")
def new_notebook():
    """new_notebook(kernel, cell, ...): a cell is its source, or (source, metadata)."""
    import nbformat  # here, as it takes two seconds in each process that collects tests

    languages = {"cgpu": ("C GPU (safe)", "c"), "cgpu-cpp": ("C++ GPU (safe)", "c++")}

    def new(kernel, *cells):
        title, language = languages[kernel]
        cells = [cell if isinstance(cell, tuple) else (cell, {}) for cell in cells]
        return nbformat.v4.new_notebook(
            metadata={"kernelspec": {"name": kernel, "display_name": title, "language": language}},
            cells=[nbformat.v4.new_code_cell(source, metadata=metadata) for source, metadata in cells])

    return new
