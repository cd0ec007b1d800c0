# SPDX-License-Identifier: Apache-2.0
"""Plays random rounds of cells in a real session beside the reference, and makes a round that differs short.

A round is a list of events, each of which means something wherever it stands: a cell (how it ends, and its steps, each
a name and the seed of its random source), or something that happens between cells. show() stands in front of each cell,
so a cell shows what the one before it has left: committed, rolled back or taken back.
"""
import os
import pathlib
import re
import signal
from dataclasses import dataclass
from random import Random

from ends import ENDS
import objects  # noqa: F401
from state import State
from steps import STEPS, weights_of

DEFINITIONS = [pathlib.Path(__file__).with_name(f"definitions.{suffix}").read_text() for suffix in ("cpp", "c")]
BEGINNING = "beginning"  # a snapshot of the definitions
LANGUAGES = {"c": 2, "c++": 1}
BETWEEN = {"undo": 6, "redo": 6, "save a": 1, "save b": 1, "load a": 1, "load b": 1,
           "kill idle worker": 1, "kill spare": 0.5, "kill zygote": 0.2, "kill compiler": 0.3}


class Difference(Exception):
    """The session is not what the reference says."""


@dataclass(frozen=True)
class Event:
    kind: str          # a name of ENDS or BETWEEN
    steps: tuple = ()  # (name, seed)


def choose(random, weights):
    return random.choices(list(weights), list(weights.values()))[0]


def make_round(seed, steps):
    """Events with so many steps in all; an event without steps counts as one."""
    random, events, n = Random(seed), [], 0
    kinds = {name: end.weight for name, end in ENDS.items()} | BETWEEN
    while n < steps:
        kind, weights = choose(random, kinds), weights_of(choose(random, LANGUAGES))
        names = [choose(random, weights) for _ in range(random.randint(1, 12))] if kind in ENDS else []
        events.append(Event(kind, tuple((name, random.randrange(1 << 32)) for name in names)))
        n += 1 + len(names)
    return events


class Player:
    def __init__(self, session):
        self.session = session
        self.state = State()
        self.undo = []   # states that %undo may go back to, oldest first
        self.redo = None # the state that %redo must bring back
        self.saved = {}  # name of a snapshot: state

    # --- cells ---

    def text(self, event, after):
        """C text of a cell; `after` becomes the state behind it."""
        lines = [STEPS[name][1](after, Random(seed)) for name, seed in event.steps]
        return "\n".join(["show();", *filter(None, lines), ENDS[event.kind].text])

    def run(self, code, act):
        if not act:
            return self.session.run(code)
        pending = self.session.start(code).wait_output(" ready\n")
        if act == "interrupt":
            self.session.interrupt()
        else:
            os.kill(int(re.search(r"(\d+) ready\n", pending.result.stdout).group(1)), signal.SIGKILL)
        return pending.wait()

    def cell(self, event):
        end, after = ENDS[event.kind], self.state.next()
        code = self.text(event, after)
        result = self.run(code, end.act)
        self.check(end, result, code, after.defined)
        if end.runs:
            self.redo = after if "set aside, and `%redo` before" in result.shown else None
        if event.kind == "interrupt" and not self.redo:
            raise Difference(f"it was not set aside: {result.shown}")
        kept = after if end.kept else after.kept if end.runs else None
        if not kept:
            return
        kept.learn_from(self.state)
        # How many commits a cell with checkpoints has made is not what is tested here.
        self.undo = [] if after.kept else [*self.undo, self.state]
        self.state = kept

    def check(self, end, result, code, defined):
        wrong = []
        if end.runs:
            wrong = self.state.differences(result.stdout.partition("\n")[0], defined)
        if (result.ename not in end.enames) if end.enames else result.status != "ok":
            wrong.append(f"it ended as {result.ename or 'ok'}: {result.evalue}, expected {end.enames or 'ok'}")
        if "cannot be killed" in result.shown:
            wrong.append("a worker is said to hang")
        if wrong:
            raise Difference("\n".join([*wrong, "--- cell", code, "--- what it showed", result.shown]))

    # --- between cells ---

    def take_back(self):
        """Behind a cell that was committed it must succeed; else it may, and then means the same."""
        if not self.undo:
            return  # the definitions would go
        result = self.session.run("%undo")
        if result.status == "ok":
            self.redo = self.state
            self.state = self.undo.pop()
        elif self.undo_is_due:
            raise Difference(f"%undo: {result.shown}")

    def bring_back(self):
        if not self.redo:
            return
        result = self.session.run("%redo")
        if result.status != "ok":
            raise Difference(f"%redo: {result.shown}")
        self.redo.learn_from(self.state)
        self.undo.append(self.state)
        self.state, self.redo = self.redo, None

    def save(self, name):
        result = self.session.run(f"%snapshot save {name}")
        if result.status != "ok":
            raise Difference(f"%snapshot save: {result.shown}")
        self.saved[name] = self.state

    def load(self, name):
        if name not in self.saved:
            return
        result = self.session.run(f"%snapshot load {name}")
        if result.status != "ok":
            raise Difference(f"%snapshot load: {result.shown}")
        self.undo.append(self.state)
        self.state, self.redo = self.saved[name], None

    def kill(self, kind):
        pid = {"kill idle worker": self.session.worker_pid, "kill spare": self.session.spare_pid,
               "kill zygote": self.session.zygote_pid, "kill compiler": self.session.compiler_pid}[kind]()
        self.session.kill(pid)

    def play(self, event):
        if event.kind in ENDS:
            self.cell(event)
            self.undo_is_due = ENDS[event.kind].kept and bool(self.undo)
        elif event.kind == "undo":
            self.take_back()
            self.undo_is_due = False
        elif event.kind == "redo":
            self.undo_is_due = bool(self.redo)
            self.bring_back()
        elif event.kind.startswith(("save", "load")):
            verb, name = event.kind.split()
            getattr(self, verb)(name)
            self.undo_is_due = False
        else:
            self.kill(event.kind)
            if event.kind in ("kill idle worker", "kill spare"):
                self.undo.append(self.state)  # finding the process takes a cell
                self.redo = None
            self.undo_is_due = False

    def must(self, code):
        result = self.session.run(code)
        if result.status != "ok":
            raise Difference(f"{code[:60]}: {result.shown}")

    def begin(self):
        """An empty session with the definitions in it. They are compiled once for all rounds of a session."""
        for code in ("%reset -f", "%limit ram 96M", "%limit gpu 64M"):
            self.must(code)
        if self.session.run(f"%snapshot load {BEGINNING}").status != "ok":
            for code in (*DEFINITIONS, f"%snapshot save {BEGINNING}"):
                self.must(code)
        self.state, self.undo, self.undo_is_due, self.redo, self.saved = State(), [], False, None, {}


def play_round(session, events):
    """None, or what differs and the number of the event at which it was seen."""
    player = Player(session)
    player.begin()
    for i, event in enumerate([*events, Event("ok")]):
        try:
            player.play(event)
        except Difference as e:
            return i, f"event {i}, {event.kind}: {e}"
    return None


def shorten(events, differs):
    """A round that still differs and from which no half, quarter, ... can be left out: first of events, then of steps."""
    events = leave_out(events, differs)
    for i, event in enumerate(events):
        def with_steps(steps, i=i, event=event):
            return [*events[:i], Event(event.kind, tuple(steps)), *events[i + 1:]]
        steps = leave_out(list(event.steps), lambda steps: differs(with_steps(steps)))
        events = with_steps(steps)
    return events


def leave_out(items, differs):
    size = len(items)
    while size:
        at = 0
        while at < len(items):
            fewer = items[:at] + items[at + size:]
            if differs(fewer):
                items = fewer
            else:
                at += size
        size //= 2
    return items
