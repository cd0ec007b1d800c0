# SPDX-License-Identifier: Apache-2.0
"""The handshake of JEP 66: the kernel takes free ports and tells them to the launcher, which has named none."""
import hashlib
import hmac
import json
import os
import signal
import subprocess

import psutil
import pytest
import zmq
from jupyter_client import BlockingKernelClient
from session import DEADLINE, wait_until

KEY = "a0436f6c-1916-498b-8eb9-e81ab9368e84"
CHANNELS = ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port")


def sign(content, key=KEY):
    return hmac.new(key.encode(), content, hashlib.sha256).hexdigest().encode() if key else b""


class Launcher:
    """A registration socket, and the kernel that is started for it."""

    def __init__(self, prefix, folder, **more):
        self.socket = zmq.Context.instance().socket(zmq.ROUTER)
        self.socket.linger = 0
        self.runtime = folder / "jupyter"
        self.runtime.mkdir(exist_ok=True)
        file = folder / "registration.json"
        file.write_text(json.dumps({
            "transport": "tcp", "ip": "127.0.0.1", "signature_scheme": "hmac-sha256", "key": KEY, "kernel_id": "seven",
            "registration_ip": "127.0.0.1", "registration_port": self.socket.bind_to_random_port("tcp://127.0.0.1"), **more}))
        self.kernel = subprocess.Popen([prefix / "libexec" / "cgpu" / "cgpu-listen", "-f", file], stdin=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True, cwd=folder,
                                       env={**os.environ, "JUPYTER_RUNTIME_DIR": str(self.runtime)})

    def ports(self):
        """What the kernel tells: its identity and the content."""
        assert self.socket.poll(DEADLINE * 1000), "the kernel does not register"
        identity, *frames = self.socket.recv_multipart()
        assert frames[0] == b"<IDS|MSG>" and len(frames) == 3 and frames[1] == sign(frames[2])
        return identity, json.loads(frames[2])

    def answer(self, identity, content=b'{"status":"ok"}', key=KEY):
        self.socket.send_multipart([identity, b"<IDS|MSG>", sign(content, key), content])

    def ended(self):
        """The status and what is on stderr."""
        errors = self.kernel.communicate(timeout=DEADLINE)[1]
        return self.kernel.returncode, errors

    def close(self):
        self.socket.close()
        if self.kernel.poll() is None:
            self.kernel.send_signal(signal.SIGTERM)
        self.ended()


@pytest.fixture
def launch(prefix, tmp_path):
    launchers = []

    def start(**more):
        launchers.append(Launcher(prefix, tmp_path, **more))
        return launchers[-1]

    yield start
    for one in launchers:
        one.close()


def client_of(info):
    client = BlockingKernelClient()
    client.load_connection_info(info)
    client.start_channels()
    client.wait_for_ready(timeout=DEADLINE)
    return client


def test_the_ports_are_told_and_work(launch):
    launcher = launch()
    identity, content = launcher.ports()
    assert content["kernel_id"] == "seven" and set(content) == {"kernel_id", *CHANNELS}
    ports = {name: int(content[name]) for name in CHANNELS}
    assert all(isinstance(content[name], str) for name in CHANNELS) and len(set(ports.values())) == 5
    assert all(1024 < port < 65536 for port in ports.values())
    # Nobody else can find the kernel before the launcher has heard of it.
    assert list(launcher.runtime.iterdir()) == []
    launcher.answer(identity)
    client = client_of({**ports, "ip": "127.0.0.1", "transport": "tcp", "key": KEY, "signature_scheme": "hmac-sha256"})
    client.execute("printf(\"%d\\n\", 6 * 7);")
    while (message := client.get_iopub_msg(timeout=DEADLINE))["msg_type"] != "stream":
        pass
    assert message["content"]["text"] == "42\n"
    # Other clients find it by a connection file, which cells do not see.
    file, = launcher.runtime.iterdir()
    assert file.match("kernel-*.json") and file.stat().st_mode & 0o777 == 0o600
    other = client_of(json.loads(file.read_text()))
    other.execute(f"%%bash\nls {launcher.runtime}; cat {file}")
    while (message := other.get_iopub_msg(timeout=DEADLINE))["msg_type"] != "stream":
        pass
    assert KEY not in message["content"]["text"] and "No such file" in message["content"]["text"]
    client.stop_channels()
    other.shutdown()
    other.stop_channels()
    assert launcher.ended()[0] == 0 and list(launcher.runtime.iterdir()) == []


@pytest.mark.parametrize("key, content, says", [
    ("another key", b"{}", "not signed with the key of the file"),
    (KEY, None, "has 2 frames"),
])
def test_a_wrong_answer_ends_the_kernel(launch, key, content, says):
    launcher = launch()
    identity, _ = launcher.ports()
    if content is None:
        launcher.socket.send_multipart([identity, b"<IDS|MSG>", b"{}"])
    else:
        launcher.answer(identity, content, key)
    status, errors = launcher.ended()
    assert status == 1 and "the answer of the launcher to the ports of this kernel" in errors and says in errors, errors
    assert list(launcher.runtime.iterdir()) == []


def test_a_launcher_that_does_not_answer(launch):
    launcher = launch()
    launcher.ports()
    status, errors = launcher.ended()
    assert status == 1 and "none came within 10 s: has it ended?" in errors, errors


def test_a_launcher_that_is_gone(launch):
    launcher = launch()
    launcher.ports()
    launcher.socket.close()
    status, errors = launcher.ended()
    assert status == 1 and "none came" in errors, errors


def test_many_kernels_at_once_take_different_ports(prefix, tmp_path):
    launchers = []
    for i in range(4):
        (tmp_path / str(i)).mkdir()
        launchers.append(Launcher(prefix, tmp_path / str(i)))
    told = [one.ports() for one in launchers]
    ports = [content[name] for _, content in told for name in CHANNELS]
    assert len(set(ports)) == 20
    for one in launchers:
        one.kernel.send_signal(signal.SIGKILL)
        below = psutil.Process(one.kernel.pid).children(recursive=True)
        one.close()
        assert wait_until(lambda: not any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in below))


def test_what_a_registration_file_may_be(prefix, tmp_path):
    path = tmp_path / "r.json"
    for more, says in (({"transport": "ipc"}, "\"tcp\" only"), ({"registration_port": 0}, "1 to 65535"),
                       ({"registration_port": "x"}, "1 to 65535"), ({"kernel_id": 7}, "\"kernel_id\" must be a string")):
        path.write_text(json.dumps({"registration_port": 5000, "key": KEY, **more}))
        p = subprocess.run([prefix / "bin" / "cgpu-kernel", "-f", path], text=True, capture_output=True, timeout=DEADLINE)
        assert p.returncode == 1 and says in p.stderr and str(path) in p.stderr, p.stderr
