# SPDX-License-Identifier: Apache-2.0
"""The whole text of fault reports. A case is a file of faults/: cells with `----` between them, the last one faults, and
behind `====` the report. What differs from run to run is written as in normal(); run this file to write reports anew:

    CGPU_PREFIX=... python tests/recovery/test_faults.py [NAME...]
"""
import pathlib
import re
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent / "faults"
CASES = sorted(p.stem for p in FOLDER.glob("*.txt"))


def normal(text, first):
    """Cells counted from 1, addresses of memory as 0x..., numbers of repeats of a recursion as N."""
    text = re.sub(r"In\[(\d+)\]", lambda m: f"In[{int(m.group(1)) - first + 1}]", text)
    text = re.sub(r"0x[0-9a-f]{6,}", "0x...", text)
    text = re.sub(r"[0-9]{1,3}(,[0-9]{3})+ times", "N times", text)
    text = re.sub(r"mapping of the file \S*/", "mapping of the file .../", text)
    # Which of libc's functions have a name differs with its release.
    text = re.sub(r"(inside|called by) (a function of libc\.so\.6|pthread_kill)", r"\1 a function of libc.so.6", text)
    text = re.sub(r"\nThe compiler had warned:\n.*", "", text, flags=re.S)
    return text.strip() + "\n"


def report(session, cells):
    """The report of the last cell; the others are fine."""
    session.run("%reset").ok()
    first = session.run("0").count + 1
    for cell in cells[:-1]:
        session.run(cell).ok()
    result = session.run(cells[-1])
    assert result.status == "error", result.shown
    return normal(result.traceback, first)


def read_case(name):
    cells, _, expected = (FOLDER / f"{name}.txt").read_text().partition("\n====\n")
    return cells.split("\n----\n"), expected


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.cuda) if name == "device-pointer" else name
                                  for name in CASES])
def test_report(kernel, name):
    cells, expected = read_case(name)
    assert report(kernel, cells) == expected


def write(names):
    import os
    import tempfile
    sys.path.insert(0, str(FOLDER.parent.parent))
    from session import Session

    home = pathlib.Path(tempfile.mkdtemp())
    session = Session(pathlib.Path(os.environ["CGPU_PREFIX"]), home, "tcp", {"HOME": str(home)})
    for name in names or CASES:
        cells, _ = read_case(name)
        (FOLDER / f"{name}.txt").write_text("\n----\n".join(cells) + "\n====\n" + report(session, cells))
    session.close()


if __name__ == "__main__":
    write(sys.argv[1:])
