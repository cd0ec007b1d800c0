# SPDX-License-Identifier: Apache-2.0
"""A case of tests/cells as text: what a reader of the notebook would see below its cells.

    CGPU_PREFIX=build/venv build/venv/bin/python tests/cells/transcript.py NAME...

prints the text of cases, which is the way to a first `expect`: read it, and keep it if it is right.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent


def cases():
    """Names of the folders that say what their cells show."""
    return sorted(p.parent.name for p in HERE.glob("*/expect"))


def cells(name):
    """The case's cells; lines `//---` stand between them."""
    return (HERE / name / "cell.c").read_text().rstrip("\n").split("\n//---\n")


def _own_numbers(text, first):
    """Cells are numbered within the case, whatever the session has run before."""
    text = re.sub(r"In\[(\d+)\]", lambda m: f"In[{int(m[1]) - first + 1}]", text)
    return re.sub(r"\bcell (\d+)", lambda m: f"cell {int(m[1]) - first + 1}", text)


def _lines(text):
    """The text, with a line end where it lacks one."""
    return text if not text or text.endswith("\n") else text + "\n"


def _pieces(result):
    """(kind, text) of what the cell shows, in order; streams that follow themselves are one piece."""
    pieces = []
    for message in result.messages:
        kind, content = message["msg_type"], message["content"]
        if kind == "stream" and pieces and pieces[-1][0] == content["name"]:
            pieces[-1] = (content["name"], pieces[-1][1] + content["text"])
        elif kind == "stream":
            pieces.append((content["name"], content["text"]))
        elif kind in ("execute_result", "display_data"):
            pieces.append((kind, content["data"].get("text/plain", "")))
        elif kind == "error":
            # What a fault's report says is the business of tests/recovery.
            said = content["ename"] in ("CompileError", "LinkError", "UsageError", "UncaughtException")
            pieces.append((kind, content["ename"] + (": " + content["evalue"] if said else "")))
    return pieces


def _cell_text(result, n, first):
    text, marks = "", {"execute_result": "Out", "display_data": "Shown", "error": "Error"}
    for kind, piece in _pieces(result):
        piece = _own_numbers(piece, first)
        if kind == "stdout":
            text += _lines(piece)
        elif kind == "stderr":
            text += "".join(f"stderr[{n}]: {line}\n" for line in piece.splitlines())
        else:
            text += f"{marks[kind]}[{n}]: {piece}\n"
    return text


def transcript(session, name):
    """Run the case in an empty session."""
    session.run("%reset").ok()
    text, first = "", None
    for n, cell in enumerate(cells(name), 1):
        result = session.run(cell)
        first = first or result.count
        text += _cell_text(result, n, first)
    return text


def main(names):
    import os
    import tempfile
    sys.path.insert(0, str(HERE.parent))
    from session import Session
    with tempfile.TemporaryDirectory() as home:
        session = Session(pathlib.Path(os.environ["CGPU_PREFIX"]), pathlib.Path(home), "tcp", {})
        try:
            for name in names:
                print(f"== {name}\n{transcript(session, name)}", end="")
        finally:
            session.close()


if __name__ == "__main__":
    main(sys.argv[1:] or cases())
