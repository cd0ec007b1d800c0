# SPDX-License-Identifier: Apache-2.0
"""Workers killed at a random instruction of random cells. The cell itself arms a timer whose signal is SIGKILL, so the
end comes anywhere: in code of the cell, in the allocator, in a driver call, in device code, while the cell settles, in
the commit, or behind it. What the next cell shows is compared with the reference: every block, buffer and address."""
import re
import signal
from dataclasses import dataclass, field
from random import Random

from ends import ENDS
from player import LANGUAGES, Difference, Event, Player, choose
from steps import weights_of

ARM = r"""
#include <signal.h>
#include <time.h>
int arm(long microseconds)
{
    struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };
    struct itimerspec when = { .it_value = { microseconds / 1000000, microseconds % 1000000 * 1000 } };
    timer_t timer;

    printf("pid %d\n", (int)getpid());
    return timer_create(CLOCK_MONOTONIC, &e, &timer) || timer_settime(timer, 0, &when, NULL);
}
"""
ON_DEVICE = {"device_allocate", "device_write", "launch", "device_copy", "device_read", "launch_on_variable"}
# What a checkpoint keeps depends on whether it was reached.
LEFT_OUT = {"checkpoint"}
KINDS = {name: end.weight for name, end in ENDS.items() if end.runs and not end.act}


@dataclass
class Counts:
    cells: int = 0
    in_cell: int = 0   # the cell was rolled back because of the kill
    behind: int = 0    # the cell had come to its end before
    device: int = 0    # cells that were killed and had work for the device
    ends: dict = field(default_factory=dict)


class Campaign(Player):
    left_out = LEFT_OUT

    def begin(self):
        super().begin()
        result = self.session.run(ARM)
        if result.status != "ok":
            raise Difference(result.shown)
        self.counts, self.most = Counts(), 4000

    def event(self, random):
        weights = {name: weight * (4 if name in ON_DEVICE else 1) for name, weight in
                   weights_of(choose(random, LANGUAGES)).items() if name not in self.left_out}
        names = [choose(random, weights) for _ in range(random.randint(2, 14))]
        return Event(choose(random, KINDS), tuple((name, random.randrange(1 << 32)) for name in names))

    def text(self, event, after):
        """The timer is armed behind show(), and what the cell ends with stands on the last line as ever."""
        first, _, rest = super().text(event, after).partition("\n")
        return f"{first} if (arm({self.delay})) abort();\n{rest}"

    def play(self, random):
        """One cell, and the end of its worker."""
        event, self.delay = self.event(random), random.randrange(1, self.most)
        end, after = ENDS[event.kind], self.state.next()
        code = self.text(event, after)
        result = self.session.run(code)
        killed = result.ename == "WorkerKilled" and event.kind != "SIGKILL"
        wrong = self.state.differences(result.stdout.partition("\n")[0], after.defined)
        if not killed and ((result.ename not in end.enames) if end.enames else result.status != "ok"):
            wrong.append(f"it ended as {result.ename or 'ok'}: {result.evalue}, expected {end.enames or 'ok'}")
        if result.stdout.count("\npid ") != 1:
            wrong.append("it ran more than once")
        if wrong:
            raise Difference("\n".join([*wrong, "--- cell", code, "--- what it showed", result.shown]))
        # About two of three are to be killed in the cell, wherever its time goes on this machine.
        self.most = max(200, int(self.most * (1.03 if killed else 0.94)))
        self.counts.cells += 1
        self.counts.in_cell += killed
        self.counts.device += killed and any(name in ON_DEVICE for name, _ in event.steps)
        self.counts.ends[event.kind] = self.counts.ends.get(event.kind, 0) + 1
        if result.status == "ok":
            after.learn_from(self.state)
            self.state = after
            self.end_worker(result)

    def end_worker(self, result):
        """The timer of a cell that was faster is not to meet the next one."""
        pid = int(re.search(r"^pid (\d+)$", result.stdout, re.M).group(1))
        try:
            self.session.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.counts.behind += 1


def kill_workers(session, seed, kills, tell=lambda counts: None):
    """Plays until so many workers were killed by a timer or behind their cell; returns Counts, raises Difference."""
    campaign, random = Campaign(session), Random(seed)
    campaign.begin()
    while campaign.counts.in_cell + campaign.counts.behind < kills:
        campaign.play(random)
        tell(campaign.counts)
    result = session.run("show();")
    wrong = campaign.state.differences(result.stdout.partition("\n")[0], set())
    if wrong:
        raise Difference("\n".join(wrong))
    return campaign.counts
