# SPDX-License-Identifier: Apache-2.0
"""What the documents say about the code: a file that is named is there, and so is a function, in the file it is said to be in."""
import re

from build_flags import FOLDERS
from test_text import tracked_names

DOCUMENTS = ("ARCHITECTURE.md", "HACKING.md")
FILE = r"[\w./{}-]*\w\.(?:c|cc|h|hh|def|py|mk|m4)"
NAMED = re.compile(rf"`({FILE})(?::(\w+)\(\))?`")
MADE_UP = re.compile(r"STEM|NAME|sources\.mk")


def documents(root):
    yield from (root / name for name in DOCUMENTS)
    for folder in ("benchmarks", *FOLDERS):
        yield from sorted((root / folder).rglob("README.md"))


def find(root, document, name, names):
    """The file: by its path from the root or a folder above the document; by its name alone in the document's top folder."""
    for base in (root, *document.parents):
        if (base / name).is_file():
            return base / name
    top = str(document.relative_to(root)).split("/")[0]
    alike = [n for n in names if n.endswith("/" + name) and (top in DOCUMENTS or n.startswith(top + "/"))]
    return root / alike[0] if alike and "/" not in name else None


def test_files_and_functions_that_documents_name_exist(root):
    seen, missing, names = 0, [], tracked_names(root)
    for document in documents(root):
        for name, function in NAMED.findall(document.read_text()):
            seen += 1
            path = find(root, document, name, names)
            where = f"{document.relative_to(root)}: {name}"
            if not path:
                missing += [where] if not MADE_UP.search(name) else []
            elif function and not re.search(rf"^[\w*].*?\b{function}\(|^{function}\(", path.read_text(), re.M):
                missing.append(f"{where} has no {function}()")
    assert seen > 100 and not missing, "\n".join(missing)


def test_the_ways_name_functions(root):
    """Each step of a way through the code says where it is."""
    ways = re.findall(r"^## (The way of .*)\n((?:.*\n)*?)(?=^## )", (root / "ARCHITECTURE.md").read_text(), re.M)
    assert len(ways) == 5
    for title, text in ways:
        steps = re.findall(r"^\d+\. (?:.+\n(?:   .*\n)*)", text, re.M)
        bare = [step for step in steps if not re.search(rf"`{FILE}:\w+\(\)`", step)]
        assert len(steps) > 3 and not bare, f"{title}: {bare}"
