# SPDX-License-Identifier: Apache-2.0
"""A front end with widgets: what a browser would show after each message of the kernel, and what it sends."""
import time

from session import DEADLINE, Pending

VIEW = "application/vnd.jupyter.widget-view+json"
WIDGET = "jupyter.widget"


class Front:
    """The comms that are open in a front end, with the states of widgets as it has them."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.open = {}      # id -> state of a widget, data of another comm
        self.targets = {}   # id -> target
        self.heard = []     # comm_msg that are no states: (id, data, buffers)
        self.opened, self.closed = [], []  # ids, in order
        self.updates = []   # (id, state) as they came
        self.by_parent = {}

    def _next(self, end):
        m = self.kernel.client.get_iopub_msg(timeout=max(0.001, end - time.monotonic()))
        parent = m["parent_header"].get("msg_id")
        self.by_parent.setdefault(parent, []).append(m)
        self._take(m)
        return m, parent

    def hear(self):
        """The next message, whatever it is for."""
        self._next(time.monotonic() + DEADLINE)

    def _take(self, m):
        content, kind = m["content"], m["msg_type"]
        if kind == "comm_open":
            is_widget = content["target_name"] == WIDGET
            assert content["comm_id"] not in self.open, "it is open already"
            if is_widget:
                assert m["metadata"]["version"].split(".")[0] == "2" and content["data"]["buffer_paths"] == []
            self.open[content["comm_id"]] = dict(content["data"]["state"]) if is_widget else content["data"]
            self.targets[content["comm_id"]] = content["target_name"]
            self.opened.append(content["comm_id"])
        elif kind == "comm_close":
            self.open.pop(content["comm_id"], None)
            self.closed.append(content["comm_id"])
        elif kind == "comm_msg":
            data = content["data"]
            if content["comm_id"] in self.open and isinstance(data, dict) and data.get("method") == "update":
                self.open[content["comm_id"]].update(data["state"])
                self.updates.append((content["comm_id"], data["state"]))
            elif not (isinstance(data, dict) and data.get("method") == "echo_update"):
                self.heard.append((content["comm_id"], data, [bytes(b) for b in m["buffers"]]))

    def wait(self, msg_id, kind="status", deadline=DEADLINE):
        """Until the request is over, or a message of that kind has come for it; all of its messages."""
        end = time.monotonic() + deadline
        while not any(m["msg_type"] == kind and m["content"].get("execution_state", "idle") == "idle"
                      for m in self.by_parent.get(msg_id, [])):
            self._next(end)
        return self.by_parent[msg_id]

    def start(self, code, **options):
        return self.kernel.start(code, **options).msg_id

    def finish(self, msg_id):
        """The Result of a cell that was started."""
        pending = Pending(self.kernel, msg_id)
        for m in self.wait(msg_id):
            content, kind = m["content"], m["msg_type"]
            pending.result.messages.append(m)
            if kind == "stream":
                setattr(pending.result, content["name"], getattr(pending.result, content["name"]) + content["text"])
            elif kind == "execute_result":
                pending.result.results.append(content["data"])
            elif kind == "display_data":
                pending.result.displays.append(content["data"])
            elif kind == "error":
                pending.result.errors += 1
        pending.idle = True
        return pending.wait()

    def run(self, code, **options):
        return self.finish(self.start(code, **options))

    # --- what a user does ---

    def send(self, kind, content, buffers=None):
        message = self.kernel.client.session.msg(kind, content)
        self.kernel.client.session.send(self.kernel.client.shell_channel.socket, message, buffers=buffers)
        return message["header"]["msg_id"]

    def set(self, comm, **state):
        """Move a widget; the id of the message."""
        self.open[comm].update(state)
        return self.message(comm, {"method": "update", "state": state, "buffer_paths": []})

    def click(self, comm):
        return self.custom(comm, {"event": "click"})

    def custom(self, comm, content, buffers=None):
        return self.send("comm_msg", {"comm_id": comm, "data": {"method": "custom", "content": content}}, buffers)

    def message(self, comm, data, buffers=None):
        return self.send("comm_msg", {"comm_id": comm, "data": data}, buffers)

    def text_of(self, msg_id, name="stdout"):
        return "".join(m["content"]["text"] for m in self.wait(msg_id)
                       if m["msg_type"] == "stream" and m["content"]["name"] == name)

    def error_of(self, msg_id):
        errors = [m["content"] for m in self.wait(msg_id) if m["msg_type"] == "error"]
        assert len(errors) <= 1
        return errors[0] if errors else None

    def model(self, name):
        """The one open widget with this model, as id."""
        (it,) = [c for c, state in self.open.items() if self.targets[c] == WIDGET and state["_model_name"] == name]
        return it
