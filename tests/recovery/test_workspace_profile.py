# SPDX-License-Identifier: Apache-2.0
"""The profile `workspace`: cells and commands change files below the notebook's folder and /tmp only, and have no network."""
import os
import pathlib
import shutil
import socket
import tempfile

import pytest
import machine
from file_attacks import ATTRIBUTES, COMMANDS, INCLUDES, MACHINE, WRITES, state


@pytest.fixture(scope="module")
def outside():
    """A folder of the user's that is not below /tmp."""
    folder = pathlib.Path(tempfile.mkdtemp(dir="/var/tmp"))
    (folder / "folder").mkdir()
    (folder / "file").write_text("the user's")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module", params=["", "hide-file"], ids=["mounts", "landlock"])
def bound(request, start_kernel, outside):
    inside = outside / "folder" / "notebook"
    inside.mkdir(exist_ok=True)
    (inside / "own").write_text("the notebook's")
    session = start_kernel(CGPU_PROFILE="workspace", CGPU_WITHOUT=request.param, cwd=inside)
    session.inside, session.outside = inside, outside
    session.has_mounts = not request.param and machine.allows_mounts()
    session.run(INCLUDES).ok()
    return session


def unchanged(session, run):
    before = state(session.outside, session.inside)
    result = run()
    assert state(session.outside, session.inside) == before
    return result


@pytest.mark.parametrize("attack", WRITES)
def test_cells_change_nothing_outside(bound, attack):
    code = WRITES[attack].format(outside=bound.outside, inside=bound.inside, process=os.getpid())
    shown = unchanged(bound, lambda: bound.run(code))
    assert shown.ok().text not in ("0", "false"), shown.shown


@pytest.mark.parametrize("attack", ATTRIBUTES)
def test_cells_change_no_attributes_outside(bound, attack):
    if not bound.has_mounts:
        return
    unchanged(bound, lambda: bound.run(ATTRIBUTES[attack].format(outside=bound.outside)).ok())


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_change_nothing_outside(bound, command):
    unchanged(bound, lambda: bound.run("!" + command.format(outside=bound.outside)))


@pytest.mark.parametrize("path", MACHINE)
def test_cells_of_root_do_not_set_up_the_machine(bound, path):
    """Landlock cannot tell the files of processes from these."""
    if bound.has_mounts:
        assert bound.run(f'open("{path}", O_WRONLY) < 0').ok().text in ("1", "true")


def test_a_file_that_a_cell_writes_goes_nowhere_else(bound):
    result = unchanged(bound, lambda: bound.run(f"%%writefile {bound.outside}/new\ntext"))
    assert result.status == "error", result.shown


def test_its_own_folder_and_the_temporary_one_are_its_own(bound):
    name = f"/tmp/cgpu-workspace-{os.getpid()}"
    for place in (str(bound.inside / "made"), name, f"/dev/shm/cgpu-workspace-{os.getpid()}"):
        cell = (f'{{ FILE *f = fopen("{place}", "w"); fputs("text", f); fclose(f); chmod("{place}", 0644);'
                f' rename("{place}", "{place}.moved"); }}')
        bound.run(cell).ok()
        assert pathlib.Path(place + ".moved").read_text() == "text"
        os.unlink(place + ".moved")
    bound.run("!mkdir sub && echo text >sub/file && mv sub/file . && rmdir sub && cat file && rm file").ok()
    bound.run("%%writefile written\nsome text").ok()
    assert (bound.inside / "written").read_text() == "some text"
    assert bound.run('!cat written; echo x >/dev/null && echo " fine"').ok().stdout.split() == ["some", "text", "fine"]


@pytest.mark.parametrize("family, kind", [("AF_INET", "SOCK_STREAM"), ("AF_INET6", "SOCK_DGRAM"), ("AF_UNIX", "SOCK_STREAM"),
                                          ("AF_UNIX", "SOCK_DGRAM | SOCK_CLOEXEC"), ("AF_UNIX", "SOCK_RAW"),
                                          ("AF_INET", "SOCK_SEQPACKET"), ("AF_NETLINK", "SOCK_RAW"), ("AF_PACKET", "SOCK_RAW")])
def test_no_network(bound, family, kind):
    assert bound.run(f"#include <netinet/in.h>\nsocket({family}, {kind}, 0) < 0 && errno == EPERM").ok().text == "1"
    assert bound.run("syscall(SYS_io_uring_setup, 8, NULL) < 0 && errno == ENOSYS").ok().text == "1"


def test_a_driver_can_listen_and_cells_cannot_connect(bound):
    """NVIDIA's driver starts with a socket of this type that listens; through it nobody is reached."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        server.bind(f"\0cgpu-workspace-{os.getpid()}")
        server.listen()
        bound.run("#include <sys/socket.h>\n#include <sys/un.h>\n"
                  f'struct sockaddr_un server = {{ AF_UNIX, "\\0cgpu-workspace-{os.getpid()}" }};\n'
                  "socklen_t server_len = offsetof(struct sockaddr_un, sun_path) + 1 + strlen(server.sun_path + 1);\n"
                  "int seqpacket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);").ok()
        assert bound.run("seqpacket >= 0").ok().text in ("1", "true")
        for call in ("connect(seqpacket, (struct sockaddr *)&server, server_len)",
                     'sendto(seqpacket, "x", 1, 0, (struct sockaddr *)&server, server_len)'):
            assert bound.run(f"{call} < 0").ok().text in ("1", "true"), call
        listens = bound.run("bind(seqpacket, &(struct sockaddr){ AF_UNIX }, sizeof(sa_family_t)) || listen(seqpacket, 1)")
        assert listens.ok().text in ("0", "false")


def test_commands_have_no_network(bound):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"import socket; socket.create_connection(('127.0.0.1', {port})); print('connected')"
        assert "connected" not in bound.run(f'!python3 -c "{code}"').shown


def test_the_session_works(bound):
    bound.run("%%cpp\n#include <vector>\nstd::vector<int> v{1, 2};").ok()
    assert bound.run("%%cpp\nv.size()").ok().text == "2"
    bound.run("__global__ void k(int *p) { *p = 5; }\nint *p; cudaMallocManaged(&p, 4); k<<<1, 1>>>(p);"
              "cudaDeviceSynchronize();").ok()
    assert bound.run("*p").ok().text == "5"
    assert bound.run("p = NULL; *(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert bound.run("*p").ok().text == "5"
    bound.run("%snapshot save here").ok()
    assert "workspace" in bound.run("%doctor").ok().shown


def test_the_administrator_has_the_last_word(start_kernel, tmp_path):
    """What is asked for may be stricter than the least profile, and not less so."""
    conf = tmp_path / "cgpu.conf"
    conf.write_text("profile min = workspace\n")
    session = start_kernel(CGPU_LIMITS=str(conf), CGPU_PROFILE="open", cwd=tmp_path)
    assert session.run("#include <errno.h>\n#include <sys/socket.h>\nsocket(AF_INET, SOCK_STREAM, 0) < 0").ok().text == "1"
    assert "profile" in session.run("%doctor").ok().shown
    conf.write_text("profile = workspace\n")
    session = start_kernel(CGPU_LIMITS=str(conf), CGPU_PROFILE="open", cwd=tmp_path)
    assert session.run("#include <errno.h>\n#include <sys/socket.h>\nsocket(AF_INET, SOCK_STREAM, 0) < 0").ok().text == "0"
