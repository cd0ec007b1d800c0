# SPDX-License-Identifier: Apache-2.0
"""Cells of both languages; raw ZeroMQ beside jupyter_client, for what a well-behaved client never sends."""
import json
import uuid
from datetime import datetime, timezone

import pytest
import zmq
from jupyter_client.session import Session as WireSession

DEADLINE_MS = 180_000
LANGUAGES = {"c": "", "cpp": "%%cpp\n"}


class RawClient:
    """A DEALER to one channel of a kernel; frames as they are given."""

    def __init__(self, session, channel):
        info = session.manager.get_connection_info()
        self.wire = WireSession(key=info["key"], signature_scheme=info["signature_scheme"])
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.connect(f"tcp://{info['ip']}:{info[channel + '_port']}")

    def frames(self, msg_type, content, **header):
        """Signature and the four frames of a good message."""
        head = {"msg_id": uuid.uuid4().hex, "session": self.wire.session, "username": "raw", "version": "5.3",
                "date": datetime.now(timezone.utc).isoformat(), "msg_type": msg_type, **header}
        parts = [json.dumps(p).encode() for p in (head, {}, {}, content)]
        return [self.wire.sign(parts), *parts]

    def send(self, *frames):
        self.socket.send_multipart(list(frames))

    def request(self, msg_type, content):
        self.send(b"<IDS|MSG>", *self.frames(msg_type, content))
        return self.receive()

    def receive(self):
        """Header and content of the next message."""
        assert self.socket.poll(DEADLINE_MS), "no answer"
        frames = self.socket.recv_multipart()
        at = frames.index(b"<IDS|MSG>")
        return json.loads(frames[at + 2]), json.loads(frames[at + 5])

    def close(self):
        self.socket.close()
        self.context.destroy(linger=0)  # also the sockets that a failed test left open


@pytest.fixture
def raw_client():
    """raw_client(session, channel) -> RawClient."""
    clients = []

    def make(session, channel="shell"):
        clients.append(RawClient(session, channel))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


@pytest.fixture(params=LANGUAGES)
def run(request, kernel):
    """Runs a cell in both languages, one after the other."""
    return lambda code, **options: kernel.run(LANGUAGES[request.param] + code, **options)
