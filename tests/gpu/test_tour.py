# SPDX-License-Identifier: Apache-2.0
"""The tour with a client alone, for a machine that has no more of Jupyter (tests/gpu/product): a cell fails exactly where the
notebook says so, and what the others show is what the notebook has saved."""
import json
import time

import played_gpu
import pytest


def saved(cell):
    """What the notebook has of the cell's output, on stdout and as its value."""
    texts = [o.get("text") or o.get("data", {}).get("text/plain", "") for o in cell["outputs"]]
    return "".join("".join(text) for text in texts)


def play(root, kernel):
    cells = json.loads((root / "notebooks" / "tour.ipynb").read_text())["cells"]
    wrong = []
    for cell in (c for c in cells if c["cell_type"] == "code"):
        code, began = "".join(cell["source"]), time.monotonic()
        result = kernel.run(code)
        shown = result.stdout + (result.text or "")
        if "raises-exception" in cell["metadata"].get("tags", []):
            good = result.status == "error"
        else:  # the table of a magic has addresses in it, and figures of this machine
            good = result.status == "ok" and (code.startswith("%") or shown == saved(cell))
        word = result.ename or result.status
        first = (result.evalue or shown or "").strip().split("\n")[0][:90]
        print(f"{'' if good else '!! '}cell {result.count:>2}  {time.monotonic() - began:6.2f} s  {word:<20} {first}")
        if not good:
            wrong.append(f"cell {result.count}, {word}:\n{result.shown}")
    assert not wrong, "\n".join(wrong)


def test_tour(root, kernel):
    play(root, kernel)


@pytest.mark.emulated
def test_tour_on_a_played_gpu(root, start_kernel, prefix, tmp_path):
    session = start_kernel(**played_gpu.build(prefix, tmp_path))
    play(root, session)
    session.close()
