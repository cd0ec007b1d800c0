# SPDX-License-Identifier: Apache-2.0
"""Notebooks that share a device by a path, from containers and as users of their own; and what a path costs that cannot be used.

A container is made by unshare(1), another user by setpriv(1): both as root, as in CI."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

from session import Session, wait_until

TAKE = '#include <stdio.h>\nchar *p; printf("%d", cudaMalloc(&p, 160 << 20));'
USERS = (64001, 64002)
NAMESPACES = ["--mount", "--pid", "--ipc", "--uts", "--fork", "--mount-proc", "--kill-child"]


def printed(session, code):
    return session.run(code).ok().printed


@pytest.fixture
def open_folder():
    """Where every user may look."""
    folder = pathlib.Path(tempfile.mkdtemp(dir="/var/tmp", prefix="cgpu-places-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def start(prefix, mark, cache, open_folder):
    """start(name, before=[program, ...], **environment): a kernel that another program starts. That of another user needs
    a cache of its own."""
    sessions = []

    def start(name, before=(), cache=cache, **env):
        home = open_folder / name
        spec = home / "share" / "jupyter" / "kernels" / "cgpu"
        spec.mkdir(parents=True)
        content = json.loads((prefix / "share" / "jupyter" / "kernels" / "cgpu" / "kernel.json").read_text())
        content["argv"] = [*before, *content["argv"]]
        (spec / "kernel.json").write_text(json.dumps(content))
        sessions.append(Session(home, home, "tcp", {
            "CGPU_TEST_MARK": mark, "HOME": str(home), "XDG_RUNTIME_DIR": str(home), "CGPU_EMULATED_MEMORY": "256M",
            "CGPU_UNDO": "1M", "CGPU_AUTOSAVE": "0", "JPY_SESSION_NAME": name, "XDG_CACHE_HOME": str(cache), **env}))
        return sessions[-1]

    yield start
    for session in sessions:
        session.close()


def container(shared, inside):
    """The folder `shared` is found as `inside` there, and processes have numbers of their own."""
    for more in ([], ["--user", "--map-root-user"]):
        before = ["unshare", *NAMESPACES, *more, "sh", "-c", 'mount --bind "$1" "$2" && shift 2 && exec "$@"', "sh",
                  shared, inside]
        tried = subprocess.run([*before, "true"], text=True, capture_output=True)
        if not tried.returncode:
            return list(map(str, before))
    return pytest.fail(f"no container can be made here, so nothing is shown of sharing between them: {tried.stderr}")


def reachable(prefix, aside):
    """The start of a program that finds the installation below folders that all users may enter, such as root's home is not."""
    closed = [folder for folder in reversed(prefix.parents) if not folder.stat().st_mode & 0o001]
    if not closed:
        return []
    aside.mkdir(exist_ok=True)
    move = ('mount --bind "$1" "$2" && mount -t tmpfs -o mode=755 none "$3" && mkdir -p "$1" && mount --bind "$2" "$1" && '
            'shift 3 && exec "$@"')
    return ["unshare", "--mount", "sh", "-c", move, "sh", prefix, aside, closed[0]]


def user(prefix, uid, folder):
    """The kernel runs as this user, who owns the folder."""
    become = ["setpriv", "--reuid", uid, "--regid", uid, "--clear-groups"]
    own = ["sh", "-c", 'chown -R "$1" "$2" && shift 2 && exec "$@"', "sh", uid, folder]
    return list(map(str, [*reachable(prefix, folder.parent / "prefix"), *own, *become]))


def number_inside(pid):
    """Of a process in its container."""
    with open(f"/proc/{pid}/status") as f:
        return re.search(r"^NSpid:.*\s(\d+)$", f.read(), re.M).group(1)


def test_containers_share_by_a_folder_and_each_has_processes_of_its_own(start, open_folder):
    (open_folder / "shared").mkdir()
    sessions = []
    for name in ("first", "second"):
        (open_folder / f"gpus-{name}").mkdir()
        before = container(open_folder / "shared", open_folder / f"gpus-{name}")
        sessions.append(start(name, before, CGPU_SHARE=str(open_folder / f"gpus-{name}" / "share")))
    first, second = sessions
    # It gives its memory by its end alone.
    printed(first, "%park wanted off")
    assert printed(first, TAKE) == "0"
    answer = second.run("char *q; cudaMalloc(&q, 160 << 20);")
    assert answer.ename == "CudaOutOfMemory"
    # Their numbers are those in their containers.
    assert f"     160 MB  first, process {number_inside(first.pid)}\n" in answer.traceback
    assert f"kernels that name {open_folder}/gpus-second/share share device memory" in printed(second, "%doctor")
    printed(second, "%limit wait 10min")
    waiting = second.start('#include <stdio.h>\nprintf("asking\\n"); fflush(stdout); char *q; '
                           'printf("%d", cudaMalloc(&q, 160 << 20));').wait_output("asking")
    assert wait_until(lambda: f"second, process {number_inside(second.pid)}, waits for 160 MB more" in printed(first, "%gpu"))
    # With the whole container: nobody says good-bye.
    first.kill(first.front_pid)
    assert waiting.wait().ok().stdout == "asking\n0"
    assert "first" not in printed(second, "%gpu")


@pytest.mark.root
def test_users_share_a_file_of_root_and_keep_their_own(start, prefix, open_folder):
    (open_folder / "shared").mkdir()
    shared, own = open_folder / "shared" / "share", open_folder / "first" / "cgpu" / "share"
    shared.touch()
    shared.chmod(0o666)
    caches = [open_folder / name / ".cache" for name in ("first", "second")]
    first, second = (start(name, user(prefix, uid, open_folder / name), cache, CGPU_SHARE=str(shared))
                     for name, uid, cache in zip(("first", "second"), USERS, caches))
    assert os.stat(f"/proc/{first.pid}").st_uid == USERS[0]
    assert printed(first, TAKE) == "0"
    answer = second.run("char *q; cudaMalloc(&q, 160 << 20);")
    assert answer.ename == "CudaOutOfMemory" and f"     160 MB  first, process {first.pid}\n" in answer.traceback
    # What a user has damaged is whole again when its owner has something to say.
    with open(shared, "r+b") as f:
        f.truncate(40)
    printed(first, "int later;")
    assert f"     160 MB  first, process {first.pid}\n" in second.run("char *q; cudaMalloc(&q, 160 << 20);").traceback
    # A file of one user is not for others, and who names it is alone.
    private = start("private", user(prefix, USERS[0], open_folder / "private"), caches[0], CGPU_SHARE=str(own))
    assert printed(private, TAKE) == "0"
    third = start("third", user(prefix, USERS[1], open_folder / "third"), caches[1], CGPU_SHARE=str(own))
    assert f"cannot open {own}: Permission denied" in printed(third, "%doctor")
    assert printed(third, TAKE) == "0"
    own.chmod(0o666)
    own.parent.chmod(0o755)
    fourth = start("fourth", user(prefix, USERS[1], open_folder / "fourth"), caches[1], CGPU_SHARE=str(own))
    shown = printed(fourth, "%doctor")
    assert f"it belongs to user {USERS[0]}; kernels of several users share a file that root has made" in shown
    assert printed(fourth, TAKE) == "0"


PLACES = {
    "below a file": ("touch {0}/file", "{0}/file/share", "Not a directory"),
    "full disk": ("mount -t tmpfs -o size=4k none {0} && head -c 4096 /dev/zero >{0}/full", "{0}/share", "No space left on"),
    "read-only": ("mount -t tmpfs -o ro none {0}", "{0}/share", "Read-only file system"),
    "a link": ("ln -s /dev/null {0}/share", "{0}/share", "Too many levels of symbolic links"),
    "no list": ("echo letter >{0}/share", "{0}/share", "it is something else than a list of notebooks"),
    "of another version": ("printf 'cgpu-gpu\\377\\377\\377\\377\\1\\1\\1\\1' >{0}/share", "{0}/share", ""),
    "cut off": ("printf cgpu-g >{0}/share", "{0}/share", ""),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_kernel_whose_path_cannot_be_used_is_alone_and_says_so(start, open_folder, place):
    make, path, why = (text.format(open_folder / "place") for text in PLACES[place])
    (open_folder / "place").mkdir()
    namespaces = container(open_folder, open_folder)[:-6] if "mount" in make else []
    session = start("alone", [*namespaces, "sh", "-c", f"{make}; exec \"$@\"", "sh"], CGPU_SHARE=path)
    shown = printed(session, "%doctor")
    assert why in shown if why else f"kernels that name {path} share device memory with this one" in shown, shown
    assert not why or "other kernels do not see what this one holds" in shown
    assert printed(session, TAKE) == "0"
    assert printed(session, "cudaFree(p);") == ""


def test_a_list_that_cannot_be_had_any_more_stops_nobody(on_one_device, tmp_path):
    session = on_one_device()
    list_file = tmp_path / "gpus" / "share"
    assert printed(session, TAKE) == "0"
    # Removed, it is made again.
    shutil.rmtree(list_file.parent)
    printed(session, "cudaFree(p);")
    assert wait_until(list_file.exists)
    shutil.rmtree(list_file.parent)
    list_file.parent.write_text("in its place")
    assert printed(session, 'printf("%d", cudaMalloc(&p, 160 << 20));') == "0"
    shown = printed(session, "%doctor")
    assert f"{list_file}: Not a directory" in shown and "other kernels do not see what this one holds" in shown
    assert "memory: 160 MB used" in printed(session, "%gpu")
    session.close()
