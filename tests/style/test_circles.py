# SPDX-License-Identifier: Apache-2.0
"""Which source needs which: read from the objects of the build folder, as the linker sees it. A source uses another one
when its object has an undefined symbol that the other's defines. Sources that use each other in a circle can only be
understood together, so there are no circles of more than three."""
import ctypes.util
import functools
import re
import subprocess

import pytest

from build_flags import FOLDERS, build_folder
from test_text import tracked_names

CIRCLE_MAX = 3
# Libraries whose functions some of our sources define for cells: to call these is no use of that source.
SYSTEM = ("c", "m", "dl", "pthread", "stdc++")


@functools.cache
def system_symbols():
    names = set()
    for library in SYSTEM:
        path = subprocess.run(["gcc", f"-print-file-name={ctypes.util.find_library(library)}"],
                              text=True, capture_output=True, check=True).stdout.strip()
        listing = subprocess.run(["nm", "-D", "--defined-only", path], text=True, capture_output=True).stdout
        names |= {line.split()[-1].split("@")[0] for line in listing.splitlines()}
    return names


def objects(root, build, program):
    """{source: its objects}: libx_a-journal.o in the folder of journal.c. What tests compile once more is left out. The
    sources of C++ of a folder are compiled as one, room.cc."""
    sources = {re.sub(r"/[^/]*\.cc$", "/room", name).removesuffix(".c") for name in tracked_names(root)
               if name.startswith(program + "/") and name.endswith((".c", ".cc"))}
    found = {}
    for path in sorted((build / program).rglob("*.o")):
        folder, stem = path.parent.relative_to(build), re.sub(r"^\w+?-", "", path.stem)
        if not path.name.startswith("test") and str(folder / stem) in sources:
            found.setdefault(str(folder / stem), []).append(path)
    assert len(found) > 0.9 * len(sources), sorted(sources - set(found))
    return found


def uses(found, ignored):
    """{source: {source that it uses: symbols}}"""
    defined, wanted = {}, {}
    source_of = {str(path): source for source, paths in found.items() for path in paths}
    listing = subprocess.run(["nm", "-A", *source_of], text=True, capture_output=True, check=True).stdout
    for line in listing.splitlines():
        path, _, rest = line.partition(":")
        source, words = source_of[path], rest.split()
        if len(words) == 2 and words[0] == "U":
            wanted.setdefault(source, set()).add(words[1])
        elif len(words) == 3 and words[1] in "TDBRVWCu" and words[2] not in ignored:
            defined.setdefault(words[2], set()).add(source)
    graph = {source: {} for source in found}
    for source, names in wanted.items():
        for name in names:
            for other in defined.get(name, ()):
                if other != source:
                    graph[source].setdefault(other, set()).add(name)
    return graph


def circles(graph):
    """Strongly connected components of more than one source (Tarjan, without recursion), the largest first."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for start in graph:
        work = [] if start in index else [(start, None)]
        while work:
            node, edges = work.pop()
            if edges is None:
                index[node] = low[node] = len(index)
                stack.append(node)
                on_stack.add(node)
                edges = iter(graph[node])
            for other in edges:
                if other not in index:
                    work += [(node, edges), (other, None)]
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                if low[node] == index[node]:
                    at = stack.index(node)
                    if len(stack) - at > 1:
                        found.append(sorted(stack[at:]))
                    on_stack -= set(stack[at:])
                    del stack[at:]
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
    return sorted(found, key=len, reverse=True)


def includes_of_cpp(root):
    """{source of C++: {source of C++ whose header it includes}}"""
    graph = {re.sub(r"\.cc$", "", name): {} for name in tracked_names(root) if name.endswith(".cc")}
    for source, used in graph.items():
        for path in (root / f"{source}.cc", root / f"{source}.hh"):
            for other in re.findall(r'^#include "(.+)\.hh"', path.read_text() if path.exists() else "", re.M):
                if other in graph and other != source:
                    used[other] = {"its header"}
    return graph


def test_circles_are_found():
    graph = {"a": {"b": 1}, "b": {"c": 1, "d": 1}, "c": {"a": 1}, "d": {"e": 1}, "e": {"d": 1}, "f": {"a": 1}}
    assert circles(graph) == [["a", "b", "c"], ["d", "e"]]


@pytest.mark.parametrize("program", FOLDERS)
def test_no_large_circles(root, program):
    ignored = system_symbols()
    assert {"malloc", "fork"} <= ignored
    graph = uses(objects(root, build_folder(root), program), ignored)
    assert sum(len(used) for used in graph.values()) > len(graph) / 2, "hardly any use was found"
    assert_none_is_large(graph)


def test_no_large_circles_of_cpp(root):
    graph = includes_of_cpp(root)
    assert sum(len(used) for used in graph.values()) > len(graph)
    assert_none_is_large(graph)


def assert_none_is_large(graph):
    large = [circle for circle in circles(graph) if len(circle) > CIRCLE_MAX]
    edges = [f"{a} -> {b}: {', '.join(sorted(graph[a][b]))}" for c in large for a in c for b in graph[a] if b in c]
    assert not large, f"{[len(c) for c in large]} sources in circles\n" + "\n".join(edges)
