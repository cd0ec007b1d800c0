# SPDX-License-Identifier: Apache-2.0
"""docs/protocol.md names every request that is handled and every message that is published, and tests that are there."""
import re


def rows(root):
    """Pairs of a table's first and last column."""
    for line in (root / "docs" / "protocol.md").read_text().split("\n"):
        cells = [c.strip() for c in line.strip("|").split("|")]
        if line.startswith("|") and not line.startswith("|---") and cells[-1] != "shown by":
            yield cells[0], cells[-1]


def test_every_message_has_a_row(root):
    named = {word for first, _ in rows(root) for word in first.split(", ")}
    handled = re.findall(r"^REQUEST\((\w+),", (root / "kernel" / "requests" / "requests.def").read_text(), re.M)
    sources = "".join(p.read_text() for p in (root / "kernel").rglob("*.c"))
    published = re.findall(r'\bpublish\([^;"]*"(\w+)"', sources)
    assert len(handled) > 15 and len(published) > 4
    missing = sorted({*handled, *published} - named)
    assert not missing, missing


def test_the_tests_are_there(root):
    seen, missing = 0, []
    for first, shown in rows(root):
        path = None
        assert "`" in shown, f"{first}: no test"
        for name in re.findall(r"`([^`]+)`", shown):
            file, _, test = name.rpartition("::") if "::" in name else (name, "", "") if name.endswith(".py") else ("", "", name)
            if file:
                path = root / file if "/" in file else root / "tests" / "protocol" / file
            seen += 1
            if not path or not path.exists() or (test and not re.search(rf"^def {test}\(", path.read_text(), re.M)):
                missing.append(name)
    assert seen > 50 and not missing, "\n".join(missing)
