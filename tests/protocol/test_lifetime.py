# SPDX-License-Identifier: Apache-2.0
"""Start, restart, shutdown, transports, signals, and what is left afterwards: nothing."""
import json
import os
import re
import signal
import socket
import subprocess
import sys

import pytest
from session import DEADLINE, alive, marked_processes, wait_until


def test_ipc_transport(start_kernel):
    session = start_kernel(transport="ipc")
    assert session.run("int over_ipc = 5;\nover_ipc").ok().text == "5"
    cell = session.start('printf("on\\n"); for (;;) ;').wait_output("on")
    session.interrupt()
    assert cell.wait().ename == "Interrupted"


def test_shutdown_is_answered_and_leaves_no_process(start_kernel):
    session = start_kernel()
    session.run("1").ok()
    processes = [session.pid] + [p.pid for p in session.children()]
    assert len(processes) >= 3
    msg_id = session.client.shutdown()
    reply = session.client.get_control_msg(timeout=DEADLINE)
    assert reply["msg_type"] == "shutdown_reply" and reply["parent_header"]["msg_id"] == msg_id
    assert reply["content"] == {"status": "ok", "restart": False}
    assert wait_until(lambda: not any(alive(p) for p in processes))
    assert session.manager.provisioner.process.wait(DEADLINE) == 0


def test_shutdown_is_told_to_all_clients(start_kernel):
    session = start_kernel()
    msg_id = session.client.shutdown(restart=True)
    seen = []
    while not seen or seen[-1][1] != "idle":
        m = session.client.get_iopub_msg(timeout=DEADLINE)
        if m["parent_header"].get("msg_id") == msg_id:
            seen.append((m["msg_type"], m["content"].get("execution_state", m["content"].get("restart"))))
    assert seen == [("status", "busy"), ("shutdown_reply", True), ("status", "idle")]


def test_shutdown_while_a_cell_runs(start_kernel):
    session = start_kernel()
    session.start('printf("on\\n"); for (;;) ;').wait_output("on")
    processes = [session.pid] + [p.pid for p in session.children()]
    session.client.shutdown()
    assert wait_until(lambda: not any(alive(p) for p in processes))


def test_restart_uses_the_same_ports(start_kernel):
    session = start_kernel()
    session.run("int before = 1;").ok()
    ports = session.manager.ports
    for now in (False, True):
        session.manager.restart_kernel(now=now)
        session.client.wait_for_ready(timeout=DEADLINE)
        assert session.manager.ports == ports
        r = session.run("before")
        assert r.status == "error" and "before" in r.traceback
        assert session.run("7").ok().text == "7"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_that_end_it_end_all(start_kernel, number):
    session = start_kernel()
    processes = [session.pid] + [p.pid for p in session.children()]
    os.kill(session.pid, number)
    assert wait_until(lambda: not any(alive(p) for p in processes))


def test_a_killed_kernel_leaves_nothing(start_kernel, mark):
    session = start_kernel()
    session.run("1").ok()
    processes = [session.pid] + [p.pid for p in session.children()]
    os.kill(session.pid, signal.SIGKILL)
    assert wait_until(lambda: not any(alive(p) for p in processes)), [p for p in processes if alive(p)]


def test_the_kernel_ends_with_its_parent(prefix, mark, tmp_path):
    """A launcher that is killed cannot shut its kernels down."""
    launcher = tmp_path / "launcher.py"
    launcher.write_text(
        "import os, subprocess, sys, time\n"
        "env = dict(os.environ, JPY_PARENT_PID=str(os.getpid()))\n"
        f"subprocess.Popen([{str(prefix / 'bin' / 'cgpu-kernel')!r}, '-f', sys.argv[1]], env=env)\n"
        "sys.stdin.read()\n")
    ports = free_ports(5)
    connection = tmp_path / "c.json"
    connection.write_text(json.dumps(dict(zip(
        ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port"), ports), key="k")))
    mark_here = mark + "-orphan"
    p = subprocess.Popen([sys.executable, str(launcher), str(connection)], stdin=subprocess.PIPE,
                         env={**os.environ, "CGPU_TEST_MARK": mark_here, "HOME": str(tmp_path)})
    assert wait_until(lambda: listens(ports[0]))
    p.kill()
    p.wait()
    assert wait_until(lambda: not marked_processes(mark_here)), marked_processes(mark_here)


def free_ports(n):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


def run_program(prefix, *args, **env):
    return subprocess.run([str(prefix / "bin" / "cgpu-kernel"), *args], text=True, capture_output=True,
                          timeout=DEADLINE, env={**os.environ, **env})


def test_wrong_connection_files_are_explained(prefix, tmp_path):
    path = tmp_path / "c.json"
    for text, says in (("", "line 1"), ("{}", "shell_port"), ('{"transport": "udp"}', "udp"),
                       ('{"shell_port": "abc"}', "1 to 65535")):
        path.write_text(text)
        p = run_program(prefix, "-f", str(path))
        assert p.returncode == 1 and says in p.stderr and str(path) in p.stderr, p.stderr
    path.unlink()
    os.mkfifo(path)
    p = run_program(prefix, "-f", str(path))
    assert p.returncode == 1 and f"connection file {path}: it is a FIFO, not a regular file" in p.stderr, p.stderr
    p = run_program(prefix, "-f", str(tmp_path / "none.json"))
    assert p.returncode == 1 and "none.json" in p.stderr


def test_a_port_in_use_is_named(prefix, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = [taken.getsockname()[1], *free_ports(4)]
        path = tmp_path / "c.json"
        path.write_text(json.dumps(dict(zip(
            ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port"), ports))))
        p = run_program(prefix, "-f", str(path))
    assert p.returncode == 1 and f"tcp://127.0.0.1:{ports[0]}" in p.stderr, p.stderr


KERNELSPECS = [("cgpu", "C GPU (safe)", "c", []), ("cgpu-cpp", "C++ GPU (safe)", "c++", ["--language", "cpp"])]


def test_install_writes_the_kernelspecs(prefix, tmp_path):
    p = run_program(prefix, "--install", "--prefix", str(tmp_path))
    assert p.returncode == 0, p.stderr
    for name, title, language, arguments in KERNELSPECS:
        folder = tmp_path / "share" / "jupyter" / "kernels" / name
        spec = json.loads((folder / "kernel.json").read_text())
        assert spec["display_name"] == title and spec["interrupt_mode"] == "message" and spec["language"] == language
        assert os.path.samefile(spec["argv"][0], prefix / "libexec" / "cgpu" / "cgpu-listen")
        assert spec["argv"][1:] == ["-f", "{connection_file}", *arguments]
        for logo in ("logo-32x32.png", "logo-64x64.png", "logo-svg.svg"):
            assert (folder / logo).stat().st_size < 5000
        assert f'"{title}" is installed in {folder}' in p.stdout
    p = run_program(prefix, "--install", "--user", JUPYTER_DATA_DIR=str(tmp_path / "user"))
    assert (tmp_path / "user" / "kernels" / "cgpu" / "kernel.json").exists(), p.stderr
    p = run_program(prefix, "--install", "--prefix", "/proc/nowhere")
    assert p.returncode == 1 and "/proc" in p.stderr


@pytest.mark.parametrize("to", ["prefix", "user"])
def test_install_brings_the_extension_of_jupyterlab(prefix, to, tmp_path):
    """Where JupyterLab finds it, and needs nothing that is not there."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "XDG_DATA"))}
    env |= {"HOME": str(tmp_path), "JUPYTER_PREFER_ENV_PATH": "0"}  # that of this Python's environment comes later
    if to == "prefix":
        jupyter, options = tmp_path / "share" / "jupyter", ["--prefix", str(tmp_path)]
        env["JUPYTER_PATH"] = str(jupyter)
    else:
        jupyter, options = tmp_path / ".local" / "share" / "jupyter", ["--user"]

    def run(*command):
        p = subprocess.run(command, env=env, text=True, capture_output=True, timeout=DEADLINE)
        assert p.returncode == 0, p.stderr
        return re.sub(r"\x1b\[\d+m", "", p.stdout + p.stderr)

    def files(folder):
        return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}

    folder = jupyter / "labextensions" / "cgpu"
    assert f"are installed in {folder}\n" in run(prefix / "bin" / "cgpu-kernel", "--install", *options)
    assert set(files(folder)) == {"package.json", "install.json", "static/cgpu.js"}
    assert files(folder) == files(prefix / "share" / "cgpu" / "labextension")
    version = json.loads((folder / "package.json").read_text())["version"]
    assert version == run_program(prefix, "--version").stdout.split()[1]
    listed = run(sys.executable, "-m", "jupyter", "labextension", "list")
    of_folder = rf"^{re.escape(str(folder.parent))}\n( +.*\n)*"
    assert re.search(rf"{of_folder} +cgpu v{re.escape(version)} enabled OK ", listed, re.M), listed


@pytest.mark.parametrize("name, title, language, arguments", KERNELSPECS)
def test_installed_folders_suit_jupyter_kernelspec_install(prefix, name, title, language, arguments, tmp_path):
    from jupyter_client.kernelspec import KernelSpecManager
    manager = KernelSpecManager(kernel_dirs=[str(tmp_path / "share" / "jupyter" / "kernels")])
    manager.install_kernel_spec(str(prefix / "share" / "cgpu" / "kernels" / name), prefix=str(tmp_path))
    spec = manager.get_kernel_spec(name)
    assert spec.display_name == title and spec.language == language and spec.argv[3:] == arguments
    assert os.path.exists(spec.argv[0])


def test_version_help_and_doctor(prefix):
    assert re.match(r"cgpu \d+\.\d+", run_program(prefix, "--version").stdout)
    assert "CGPU_GPU_MEMORY" in run_program(prefix, "--help").stdout
    p = run_program(prefix, "--doctor")
    assert p.returncode == 0 and "ZeroMQ" in p.stdout
    p = run_program(prefix, "--language", "fortran")
    assert p.returncode == 2 and 'cells cannot be in "fortran"; what there is: c, cpp' in p.stderr
    p = run_program(prefix, "--no-such-option")
    assert p.returncode == 2 and "--no-such-option" in p.stderr


def test_encrypted_sockets(prefix, start_kernel, tmp_path, mark):
    """CurveZMQ keys in the connection file: clients with the keys are served, others are not."""
    import zmq
    public, secret = zmq.curve_keypair()
    ports = free_ports(5)
    path = tmp_path / "c.json"
    path.write_text(json.dumps(dict(
        zip(("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port"), ports), key="k",
        curve_publickey=public.decode(), curve_secretkey=secret.decode())))
    p = subprocess.Popen([str(prefix / "bin" / "cgpu-kernel"), "-f", str(path)],
                         env={**os.environ, "CGPU_TEST_MARK": mark, "HOME": str(tmp_path)})
    context = zmq.Context()
    try:
        beats = context.socket(zmq.REQ)
        beats.linger = 0
        beats.curve_serverkey = public
        beats.curve_publickey, beats.curve_secretkey = zmq.curve_keypair()
        beats.connect(f"tcp://127.0.0.1:{ports[4]}")
        beats.send(b"x")
        assert beats.poll(DEADLINE * 1000) and beats.recv() == b"x"
        plain = context.socket(zmq.REQ)
        plain.linger = 0
        monitor = plain.get_monitor_socket()
        plain.connect(f"tcp://127.0.0.1:{ports[4]}")
        from zmq.utils.monitor import recv_monitor_message
        refused = (zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL, zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL,
                   zmq.EVENT_HANDSHAKE_FAILED_AUTH, zmq.EVENT_DISCONNECTED)
        while True:
            assert monitor.poll(DEADLINE * 1000)
            if recv_monitor_message(monitor)["event"] in refused:
                break
    finally:
        p.terminate()
        p.wait(DEADLINE)
        context.destroy(linger=0)
