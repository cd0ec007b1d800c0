# SPDX-License-Identifier: Apache-2.0
"""A front end's debugger: cells that stop, from the events on iopub and the commands on control."""
import time

from session import DEADLINE


class Debugger:
    """A session whose debugger is on."""

    def __init__(self, session):
        self.session = session
        self.body("initialize")
        self.body("attach")

    def command(self, command, **arguments):
        """The reply; what comes on iopub is left to who waits for it."""
        content = {"type": "request", "seq": 1, "command": command, "arguments": arguments}
        message = self.session.client.session.msg("debug_request", content)
        self.session.client.control_channel.send(message)
        reply = self.session.client.get_control_msg(timeout=DEADLINE)
        assert reply["parent_header"]["msg_id"] == message["header"]["msg_id"]
        return reply["content"]

    def body(self, command, **arguments):
        reply = self.command(command, **arguments)
        assert reply["success"] is True, reply
        return reply["body"]

    def breakpoints(self, code, *lines):
        """Set those of a cell with this text; its path."""
        path = self.body("dumpCell", code=code)["sourcePath"]
        told = self.body("setBreakpoints", source={"path": path}, breakpoints=[{"line": line} for line in lines])
        assert [(b["verified"], b["line"]) for b in told["breakpoints"]] == [(True, line) for line in lines]
        return path

    def start(self, code, *lines, **options):
        """Run a cell with these breakpoints."""
        self.breakpoints(code, *lines)
        return Stops(self, self.session.start(code, **options))


class Stops:
    """A cell that runs from stop to stop."""

    def __init__(self, debugger, pending):
        self.debugger, self.pending, self.heard = debugger, pending, 0

    def event(self):
        """The next event of the debugger, or the last message of the cell."""
        end = time.monotonic() + DEADLINE
        while True:
            messages = self.pending.result.messages
            while self.heard < len(messages):
                message = messages[self.heard]
                self.heard += 1
                if message["msg_type"] == "debug_event":
                    return message["content"]
            assert not self.pending.idle, f"the cell has ended: {self.pending.result.shown}"
            self.pending._next(end)

    def stopped(self):
        """Wait for the next stop: its reason."""
        content = self.event()
        if content["event"] == "continued":
            content = self.event()
        assert content["event"] == "stopped" and content["body"]["threadId"] == 1, content
        return content["body"]["reason"]

    def frames(self):
        return self.debugger.body("stackTrace", threadId=1)["stackFrames"]

    def where(self):
        """[(function or "In[3]", line)], innermost first."""
        return [(f["name"], f["line"]) for f in self.frames()]

    def line(self):
        return self.where()[0][1]

    def scope(self, frame=0, which=0):
        """{name: variable} of one of its scopes."""
        scopes = self.debugger.body("scopes", frameId=self.frames()[frame]["id"])["scopes"]
        names = [s["name"] for s in scopes]
        assert names == ["Locals", "Session"] or ("[block" in self.where()[0][0] and names == ["Locals", "Warp", "Session"])
        return self.listed(scopes[which])

    def listed(self, variable):
        reference = variable["variablesReference"]
        found = {}
        for v in self.debugger.body("variables", variablesReference=reference)["variables"]:
            found.setdefault(v["name"], v)
        return found

    def values(self, frame=0, which=0):
        return {name: v["value"] for name, v in self.scope(frame, which).items()}

    def go(self, command="continue"):
        self.debugger.body(command, threadId=1)
        return self

    def step(self, command="next"):
        """One step; the line where it ends."""
        assert self.go(command).stopped() == "step"
        return self.line()

    def end(self):
        """Let it go on to its end."""
        return self.go().pending.wait()
