# SPDX-License-Identifier: Apache-2.0
"""Cells in order, each with what it shows, or with the words of its error."""


def play(kernel, *cells):
    """Runs the cells in order. A cell is its text, or a pair: what it prints and shows must be the second."""
    for cell in cells:
        text, expected = (cell, None) if isinstance(cell, str) else cell
        result = kernel.run(text).ok()
        assert not result.stderr, f"{text}\n{result.stderr}"
        if expected is not None:
            assert (result.stdout + (result.text or "")).strip() == expected, f"{text}\n{result.shown}"


def refuse(kernel, cell, *words):
    """The cell is an error whose text has these words."""
    result = kernel.run(cell)
    assert result.status == "error", result.shown
    for word in words:
        assert word in result.shown, result.shown
