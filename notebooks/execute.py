#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Execute a notebook in real Jupyter and say of each cell how it went.

execute.py NOTEBOOK FOLDER [--save]: writes FOLDER/NAME.ipynb with outputs and FOLDER/NAME.html. A cell that is tagged
raises-exception must fail, every other must not; exit status 1 where one did otherwise. --save also puts the outputs
into NOTEBOOK itself.
"""
import re
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def outcome(cell):
    """(as expected?, word for the list) of an executed code cell."""
    errors = [o for o in cell.outputs if o.output_type == "error"]
    expected = "raises-exception" in cell.metadata.get("tags", [])
    if errors:
        return expected, errors[0].ename + (", as expected" if expected else "")
    return not expected, "no error, but one was expected" if expected else "ok"


def first_line(cell):
    for o in cell.outputs:
        text = o.get("text") or o.get("evalue") or o.get("data", {}).get("text/plain", "")
        if text.strip():
            return ANSI.sub("", text.strip().splitlines()[0])[:70]
    return ""


def main(path, folder, save):
    notebook = nbformat.read(path, 4)
    began = {}
    good = True

    def started(cell, cell_index):
        began[cell_index] = time.monotonic()

    def executed(cell, cell_index, execute_reply):
        nonlocal good
        fine, word = outcome(cell)
        good = good and fine
        seconds = time.monotonic() - began[cell_index]
        print(f"{'' if fine else '!! '}cell {cell.execution_count or '?':>2}  {seconds:6.2f} s  {word:<40} "
              f"{first_line(cell)}", flush=True)

    client = NotebookClient(notebook, timeout=120, allow_errors=True, kernel_name="cgpu",
                            on_cell_start=started, on_cell_executed=executed)
    client.execute()
    folder.mkdir(parents=True, exist_ok=True)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    nbformat.write(notebook, folder / path.name)
    if save:
        nbformat.write(notebook, path)
    page, _ = HTMLExporter().from_notebook_node(notebook)
    (folder / path.with_suffix(".html").name).write_text(page)
    return 0 if good else 1


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--save"]
    sys.exit(main(Path(arguments[0]), Path(arguments[1]), "--save" in sys.argv))
