# SPDX-License-Identifier: Apache-2.0
"""Cells of tests/cells with a few tokens deleted, doubled, exchanged or added: whatever they say, the compiler answers.

    CGPU_PREFIX=build/venv build/venv/bin/python tests/fuzz/cells.py [--cells N] [--seed S]

What hangs the compiler or ends it is printed, and the status is 1. A cell that runs for ever by its own text looks
alike: read it.
"""
import argparse
import os
import pathlib
import queue
import random
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from session import Session  # noqa: E402

CELLS = pathlib.Path(__file__).resolve().parent.parent / "cells"
TOKEN = re.compile(r'\s+|[A-Za-z_]\w*|\d[\w.]*|"(?:\\.|[^"\\\n])*"|.', re.S)
ADDED = ["=", ",", ";", "(", ")", "[", "]", "{", "}", "*", "({", "(int[]){", "&&x", "goto x;", "x:", "\n#if 1\n",
         "#define A ", "static ", "auto ", "const ", "typedef ", "extern ", "inline ", "register ", "_Thread_local ",
         "__auto_type ", "struct {", "enum {", "std::", "template <"]
# These would stop, leave or wait by themselves.
LEFT_OUT = re.compile(r"%%|\b(abort|exec\w*|exit|fgets|fork|getchar|kill|pause|raise|scanf|sleep|usleep)\b|"
                      r"while\s*\(\s*(1|true)|for\s*\(\s*;\s*;")
ENDED = re.compile(r"The compiler ended|gave up|cannot compile this")
DEADLINE = 8


def read_cells():
    files = [path.read_text(errors="replace") for path in sorted(CELLS.glob("*/cell.c"))]
    texts = [text for file in files for text in file.split("//---\n")]
    return [text for text in texts if len(text) < 1500 and not LEFT_OUT.search(text)]


def mutated(text, rng):
    tokens = TOKEN.findall(text)
    for _ in range(rng.randint(1, 4)):
        if not tokens:
            break
        at, other, how = rng.randrange(len(tokens)), rng.randrange(len(tokens)), rng.random()
        if how < 0.35:
            del tokens[at]
        elif how < 0.6:
            tokens.insert(at, tokens[other])
        elif how < 0.8:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif how < 0.9:
            tokens = tokens[:at]
        else:
            tokens.insert(at, rng.choice(ADDED))
    return "".join(tokens)


def start(prefix):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cgpu-fuzz-"))
    return Session(prefix, folder, "tcp", {"HOME": str(folder)}, "cgpu")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng, texts = random.Random(arguments.seed), read_cells()
    prefix = pathlib.Path(os.environ["CGPU_PREFIX"]).resolve()
    session, found = start(prefix), 0
    for n in range(arguments.cells):
        text = mutated(rng.choice(texts), rng)
        if LEFT_OUT.search(text):
            continue
        try:
            result = session.run(text, deadline=DEADLINE)
        except queue.Empty:
            found += 1
            print(f"{n}: no answer in {DEADLINE} s: {text!r}", flush=True)
            session.close()
            session = start(prefix)
            continue
        if ENDED.search(result.traceback or ""):
            found += 1
            print(f"{n}: {result.traceback}\n{text!r}", flush=True)
        if n % 200 == 199:
            session.run("%reset")
    session.close()
    print(f"{arguments.cells} cells, {found} to look at")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
