# SPDX-License-Identifier: Apache-2.0
"""The campaign on a GPU that is as unkind as hardware can be, a kernel and settings of its own for each seed.

A store by a pointer into another buffer is only rolled back after `%gpu rollback whole`, so every second seed has that,
and the others have no such step.

No byte may be lost that hardware could have kept. When the device does not come back with a new process, `%gpu reset`
is what the user has; that gives up what does not come even then, and has to name it, which ends the seed."""
import pathlib
import tempfile
from dataclasses import dataclass
from random import Random

from campaign import LEFT_OUT, Campaign
from player import Difference
from session import Session

import played_gpu

RESETS_MAX = 20
GONE = ("Cells cannot use it", "cannot be reached")
NAMED = ("is lost", "could not be put back")


def settings(seed):
    """CGPU_PLAYED_GPU of a seed."""
    random, chosen = Random(seed), []
    for name, values in {"lock": (5, 20, 100), "window": (2 << 10, 64 << 10), "failing": (20, 60, 200), "asleep": (10, 40),
                         "init": (5, 100), "create": (31, 1000), "jit": (30,), "unmap": (50, 2000),
                         "exclusive": ("FOLDER/context",), "devrt": ("library",),
                         # Two contexts leave 4 MiB of 4 GiB.
                         "footprint": ("2046:FOLDER/contexts",)}.items():
        if random.random() < 0.4:
            chosen.append(f"{name}={random.choice(values)}")
    return ",".join(chosen)


class Named(Exception):
    """Something was given up, and the user was told what."""


@dataclass
class Sum:
    cells: int = 0
    in_cell: int = 0
    behind: int = 0
    device: int = 0
    resets: int = 0    # how often `%gpu reset` was needed
    given_up: int = 0  # seeds that ended with a loss that was named

    def add(self, counts):
        for name in ("cells", "in_cell", "behind", "device"):
            setattr(self, name, getattr(self, name) + getattr(counts, name))


class UnkindCampaign(Campaign):
    resets = 0

    def __init__(self, session, whole):
        super().__init__(session)
        self.whole = whole
        if not whole:
            self.left_out = LEFT_OUT | {"launch_astray"}

    def begin(self):
        super().begin()
        if self.whole:
            self.session.run("%gpu rollback whole").ok()

    def bring_back(self):
        for _ in range(RESETS_MAX):
            if not any(word in self.session.run("%gpu").shown for word in GONE):
                return
            self.resets += 1
            shown = self.session.run("%gpu reset").shown
            if any(word in shown for word in NAMED):
                raise Named(shown)
        raise Difference(f"the device does not come back: {self.session.run('%gpu').shown}")

    def play(self, random):
        self.bring_back()
        super().play(random)


def kill_workers_unkindly(prefix, cache, seed, kills, total):
    """One seed: so many kills, or until a loss was named. Adds to total; raises Difference with the settings. Seeds share
    `cache`, a folder for what the compiler keeps."""
    chosen, random = settings(seed), Random(seed)
    with tempfile.TemporaryDirectory(prefix="cgpu-unkind-") as folder:
        home = pathlib.Path(folder)
        (home / "contexts").mkdir()
        env = {"HOME": folder, "XDG_STATE_HOME": folder, "XDG_CACHE_HOME": str(cache),
               "CGPU_PLAYED_GPU": chosen.replace("FOLDER", folder)}
        session = Session(prefix, home, "tcp", {**played_gpu.build(prefix, home), **env})
        campaign = UnkindCampaign(session, seed % 2 == 0)
        try:
            campaign.bring_back()
            campaign.begin()
            while campaign.counts.in_cell + campaign.counts.behind < kills:
                campaign.play(random)
            campaign.bring_back()
            result = session.run("show();")
            wrong = campaign.state.differences(result.stdout.partition("\n")[0], set())
            if wrong:
                raise Difference("\n".join(wrong))
        except Named:
            total.given_up += 1
        except Difference as e:
            raise Difference(f"seed {seed}, CGPU_PLAYED_GPU={chosen}: {e}") from e
        finally:
            session.close()
            total.resets += campaign.resets
            if hasattr(campaign, "counts"):
                total.add(campaign.counts)
