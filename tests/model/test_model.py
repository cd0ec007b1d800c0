# SPDX-License-Identifier: Apache-2.0
"""Random cells, good and failing, beside the reference; see player.py. More by hand: tests/model/run."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from campaign import kill_workers  # noqa: E402
from ends import ENDS  # noqa: E402
from player import BETWEEN, Event, Player, make_round, play_round, shorten  # noqa: E402
from state import State, pattern  # noqa: E402
from steps import LANGUAGES, STEPS  # noqa: E402
from unkind import Sum, kill_workers_unkindly  # noqa: E402

pytestmark = pytest.mark.long

ROUNDS, STEPS_A_ROUND = 5, 400


@pytest.mark.cuda
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_random_round_does_not_differ(kernel, seed):
    events = make_round(seed, STEPS_A_ROUND)
    difference = play_round(kernel, events)
    assert difference is None, f"seed {seed}, {difference[1]}"


@pytest.mark.cuda
@pytest.mark.parametrize("name", STEPS)
def test_each_step_is_committed_rolled_back_taken_back_and_brought_back(kernel, name):
    def steps(seed):
        first = ("add_numbers", "make_shape") if LANGUAGES.get(name) == "c++" else ("allocate", "device_allocate")
        return *((step, seed) for step in first), ("push", seed), ("word", seed), (name, seed)
    events = [Event("ok", steps(1)), Event("null", steps(2)), Event("ok", steps(3)), Event("undo"), Event("kill", steps(4)),
              Event("interrupt", steps(5)), Event("redo")]
    assert play_round(kernel, events) is None


@pytest.mark.cuda
@pytest.mark.parametrize("kind", [*ENDS, *BETWEEN])
def test_each_end_and_event(kernel, kind):
    events = [Event("ok", (("allocate", 1), ("device_allocate", 2), ("define", 3))),
              Event(kind, (("write", 4), ("launch", 5), ("assign", 6)) if kind in ENDS else ()),
              Event("ok", (("allocate", 7),))]
    assert play_round(kernel, events) is None


@pytest.mark.cuda
def test_workers_killed_at_random_instructions(kernel):
    """2000 of them: tests/model/run --kills 2000."""
    counts = kill_workers(kernel, 1, 40)
    assert counts.in_cell >= 10 and counts.device >= 5, counts


@pytest.mark.cuda
@pytest.mark.parametrize("seed", range(100, 103))
def test_workers_killed_on_an_unkind_gpu(prefix, cache, seed):
    """2000 of them: tests/model/run --unkind."""
    total = Sum()
    kill_workers_unkindly(prefix, cache, seed, 20, total)
    assert total.in_cell >= 5 or total.given_up, total


@pytest.mark.cuda
def test_a_difference_is_seen(kernel):
    """What the reference does not know of: one byte of a block, and a block that has moved."""
    player = Player(kernel)
    player.begin()
    player.play(Event("ok", (("allocate", 1),)))
    player.play(Event("ok"))
    kernel.run("for (int i = 0; i < BLOCKS; i++) if (blocks[i].at) blocks[i].at[0] ^= 1;").ok()
    line = kernel.run("show();").ok().stdout
    assert [w for w in player.state.differences(line, set()) if w.startswith("b")]
    kernel.run("for (int i = 0; i < BLOCKS; i++) if (blocks[i].at) blocks[i].at[0] ^= 1;").ok()
    assert not player.state.differences(kernel.run("show();").ok().stdout, set())
    kernel.run("for (int i = 0; i < BLOCKS; i++) if (blocks[i].at) {"
               " void *old = blocks[i].at;"
               " blocks[i].at = (unsigned char *)memcpy(malloc(blocks[i].size), old, blocks[i].size); }").ok()
    assert "lies at" in player.state.differences(kernel.run("show();").ok().stdout, set())[0]


def test_a_long_round_is_made_short():
    """Without a session: it differs when some `push` comes before an `abort`."""
    def differs(events):
        pushed = False
        for e in events:
            pushed = pushed or any(name == "push" for name, _ in e.steps)
            if pushed and e.kind == "abort":
                return True
        return False

    events = make_round(3, 2000)
    assert differs(events)
    short = shorten(events, differs)
    assert short[-1].kind == "abort" and len(short) <= 2
    assert [name for e in short for name, _ in e.steps] == ["push"]


def test_the_reference_keeps_its_own_states_apart():
    state = State()
    state.blocks[1] = pattern(10, 3)
    after = state.next()
    after.blocks[1] = b"other"
    after.list.append(1)
    assert state.blocks[1] == pattern(10, 3) and not state.list
