# SPDX-License-Identifier: Apache-2.0
"""jupytext: a notebook as text and back, with nothing lost, by the commands of docs/front-ends.md."""
import pytest

from session import DEADLINE

# What a text format could take for its own: blank lines, magics, other languages, comments that look like markers.
CELLS = (("#include <stdio.h>\nint n = 5; // %gpu is no magic here\n\n\nint f(int x)\n{\n\treturn x * 2;\n}",
          {"tags": ["parameters"], "mine": {"a": [1, None]}}),
         "%gpu", "%%cpp -std=c++20\n#include <vector>\nstd::vector<int> v = {1, 2};\nv.size()", "%time n = f(n);\nn",
         "!echo a command", "?n", "%%expect 10\nn", "// %gpu\n/* a comment */\n\n// + x\nprintf(\"%d\\n\", n);", "",
         "for (int i = 0; i < 3; i++) {\n\n\n    n += i;\n}\nn")
MAIN = ["--update-metadata", '{"jupytext": {"main_language": "c++"}}']


def texts(notebook):
    return [(cell.cell_type, cell.source, cell.metadata) for cell in notebook.cells]


@pytest.fixture(scope="module", params=["cgpu", "cgpu-cpp"])
def notebook(request, new_notebook):
    from nbformat.v4 import new_markdown_cell, new_raw_cell
    made = new_notebook(request.param, *CELLS)
    made.cells[2:2] = [new_markdown_cell("# Title\n\nsome *text*:\n\n- a\n- b"), new_raw_cell("as it is")]
    return made


@pytest.mark.parametrize("form", ["cpp:percent", "md", "md:myst", "Rmd"])
def test_there_and_back(notebook, form, tmp_path):
    import nbformat
    from jupytext.cli import jupytext
    nbformat.write(notebook, tmp_path / "in.ipynb")
    text = tmp_path / f"in.{form.partition(':')[0]}"
    main = MAIN if notebook.metadata.kernelspec.name == "cgpu" else []
    jupytext(["--quiet", *main, "--to", form, str(tmp_path / "in.ipynb")])
    jupytext(["--quiet", "--to", "ipynb", "--output", str(tmp_path / "back.ipynb"), str(text)])
    back = nbformat.read(tmp_path / "back.ipynb", 4)
    assert texts(back) == texts(notebook) and back.metadata.kernelspec == notebook.metadata.kernelspec, text.read_text()


def test_what_comes_back_runs(jupyter, new_notebook, monkeypatch, tmp_path):
    import jupytext
    import nbclient
    notebook = new_notebook("cgpu", *CELLS)
    notebook.metadata["jupytext"] = {"main_language": "c++"}
    back = jupytext.reads(jupytext.writes(notebook, fmt="cpp:percent"), fmt="cpp:percent")
    for name in jupyter:
        monkeypatch.setenv(name, jupyter[name])
    nbclient.NotebookClient(back, timeout=DEADLINE, resources={"metadata": {"path": tmp_path}}).execute()
    assert "emulated device" in str(back.cells[1].outputs) or "NVIDIA" in str(back.cells[1].outputs)
    assert [cell.outputs[-1].data["text/plain"] for cell in (back.cells[2], back.cells[9])] == ["2", "13"]
    assert back.cells[7].outputs[0].text == "10\n"
