# SPDX-License-Identifier: Apache-2.0
"""The connection file stays out of reach when a cell moves a folder above it, or the file itself, and then has a process made
anew: a process that starts hides what it finds."""
import pytest
from file_attacks import READS


@pytest.fixture(params=["folder", "file"])
def place(request, tmp_path):
    """Environment of a kernel, and the folder of its connection file: Jupyter's runtime folder, or any other one."""
    runtime = tmp_path / "jupyter" / "runtime"
    runtime.mkdir(parents=True)
    return {"JUPYTER_DATA_DIR": str(tmp_path / "jupyter")} if request.param == "folder" else {}, runtime


def where(folder, key):
    """The path that the connection file has by now; this process is not contained."""
    found = [path for path in folder.rglob("*.json") if key in path.read_text()]
    assert len(found) == 1
    return found[0]


def begin_again(session):
    """What runs commands, compiles and runs cells are processes that begin after this."""
    session.run("!true").ok()
    before = [session.compiler_pid(), session.launcher_pid(), session.zygote_pid()]
    for pid in before:
        session.kill(pid)
    session.run("!true").ok()
    # The first worker is the one that stood by.
    for _ in range(2):
        assert session.run("abort();").status == "error"
    assert not {session.compiler_pid(), session.launcher_pid()} & set(before)


@pytest.mark.parametrize("without", ["", "hide-file"])
def test_the_key_stays_hidden_where_it_was_moved_to(start_kernel, tmp_path, place, without):
    environment, runtime = place
    session = start_kernel(runtime=runtime, CGPU_WITHOUT=without, **environment)
    session.run("#include <stdio.h>\n#include <stdlib.h>\nint kept = 41;\n").ok()
    key = session.manager.session.key.decode()
    first = where(tmp_path, key)
    jupyter = tmp_path / "jupyter"
    attempts = ["mv {path} {folder}/other.json", "mv {folder} {folder}-moved", f"mv {jupyter} {jupyter}-moved",
                f"mkdir -p {runtime}; echo decoy > {first}", "chmod 0311 {folder} {folder}/.."]
    for step, attempt in enumerate(attempts):
        path = where(tmp_path, key)
        folder = path.parent
        session.run("!" + attempt.format(path=path, folder=folder))
        path = path if path.exists() else where(tmp_path, key)
        begin_again(session)
        for kind, text in READS.items():
            shown = session.run(text.format(path=path, name=f"stolen_{step}")).shown
            assert key not in shown and key[:20] not in shown, f"{kind}, {attempt}: {shown}"
    assert path.parent != runtime and first.read_text() == "decoy\n"
    assert session.run("kept + 1").ok().text == "42"
