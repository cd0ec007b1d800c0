# SPDX-License-Identifier: Apache-2.0
"""Threads of cells that live on: they stand still for a commit, go on after it, and are named when they are lost."""
import os

import pytest

from session import wait_until

TWO_COUNTERS = r"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
/* ahead - behind is 0 or 1 at any moment. They lie far apart, with 64 MB between them that each cell overwrites, so
 * that a commit takes its time from one to the other. */
enum { BIG = 64 << 20 };
_Atomic long ahead, *behind;
char *big;
void *worker(void *unused)
{
	for (;;) {
		atomic_fetch_add(&ahead, 1);
		atomic_fetch_add(behind, 1);
	}
	return unused;
}
pthread_t thread;
void begin(void)
{
	if (!big) {
		big = malloc(BIG);
		behind = (_Atomic long *)(big + BIG - 64);
	}
	ahead = 0;
	*behind = 0;
	pthread_create(&thread, NULL, worker, NULL);
}
void dirty(int value)
{
	memset(big, value, BIG - 4096);
}
begin();
"""

ALLOCATING = r"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; int size; unsigned char bytes[]; };
struct list { pthread_mutex_t lock; struct node *first; } lists[4];
_Atomic long made;
char *big; /* overwritten by each cell: a commit takes its time */
void *churn(void *data)
{
	struct list *l = data;
	unsigned seed = (unsigned)(l - lists) + 1;
	for (;;) {
		int size = rand_r(&seed) % 3000;
		struct node *n = malloc(sizeof(*n) + size), *old;
		n->size = size;
		memset(n->bytes, size & 255, size);
		pthread_mutex_lock(&l->lock);
		n->next = l->first;
		l->first = n;
		old = n->next && n->next->next ? n->next->next : NULL;
		if (old)
			n->next->next = NULL;
		pthread_mutex_unlock(&l->lock);
		while (old) {
			struct node *next = old->next;
			free(old);
			old = next;
		}
		free(realloc(malloc(size), 2 * size + 1));
		atomic_fetch_add(&made, 1);
	}
	return NULL;
}
big = malloc(64 << 20);
for (int i = 0; i < 4; i++) {
	pthread_t t;
	pthread_mutex_init(&lists[i].lock, NULL);
	pthread_create(&t, NULL, churn, &lists[i]);
	pthread_detach(t);
}
"""


def counters(session):
    """Of the committed state: read when the worker is gone, so that no thread has gone on."""
    return tuple(int(session.run(f"(long){name}").ok().text) for name in ("ahead", "*behind"))


def test_a_thread_lives_on_between_cells(fresh_kernel):
    fresh_kernel.run(TWO_COUNTERS).ok()
    pid = fresh_kernel.worker_pid()
    seen = [int(fresh_kernel.run("(long)ahead").ok().text) for _ in range(5)]
    assert seen == sorted(seen) and seen[0] < seen[-1], "it does not go on after a commit"
    assert fresh_kernel.worker_pid() == pid


def test_each_committed_state_is_one_moment_of_the_thread(fresh_kernel):
    """What a fault leads back to is a state that the thread itself could have seen."""
    fresh_kernel.run(TWO_COUNTERS).ok()
    for turn in range(8):
        for i in range(1 + turn % 3):
            fresh_kernel.run(f"dirty({turn + i});").ok()
        assert fresh_kernel.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
        ahead, behind = counters(fresh_kernel)
        assert ahead - behind in (0, 1), (ahead, behind)
        fresh_kernel.run("begin();").ok()


def test_threads_that_allocate_all_the_time(fresh_kernel):
    """A thread inside of the allocator is not stopped there: no deadlock, no torn heap."""
    fresh_kernel.run(ALLOCATING).ok()
    last = 0
    for turn in range(30):
        r = fresh_kernel.run(f"memset(big, {turn}, 64 << 20);\nchar *mine{turn % 7} = malloc({turn} * 100 + 1);\n"
                             "free(malloc(100000));\n(long)made").ok()
        assert int(r.text) >= last
        last = int(r.text)
    assert fresh_kernel.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    r = fresh_kernel.run(r"""
int broken = 0, nodes = 0;
for (int i = 0; i < 4; i++)
	for (struct node *n = lists[i].first; n; n = n->next, nodes++)
		for (int k = 0; k < n->size; k++)
			broken += n->bytes[k] != (n->size & 255) && n != lists[i].first;
for (int i = 0; i < 1000; i++)
	free(malloc(i * 10));
broken""").ok()
    assert r.text == "0"


def test_a_lost_thread_is_named(fresh_kernel):
    fresh_kernel.run(TWO_COUNTERS).ok()
    r = fresh_kernel.run("*(volatile int *)0 = 1;")
    assert "thread `worker` started in cell 1 ended" in r.traceback
    fresh_kernel.run("1").ok()
    assert "thread" not in fresh_kernel.run("*(volatile int *)0 = 1;").traceback, "it was named already"


def test_a_thread_that_has_ended_is_not_named(fresh_kernel):
    fresh_kernel.run("#include <pthread.h>\nvoid *soon(void *p) { return p; }\npthread_t t;\n"
                     "pthread_create(&t, NULL, soon, NULL);\npthread_join(t, NULL);").ok()
    assert "soon" not in fresh_kernel.run("*(volatile int *)0 = 1;").traceback


def test_a_sleep_of_a_thread_lasts_over_commits(fresh_kernel):
    """A commit stops the thread by a signal, which would cut its sleep short."""
    fresh_kernel.run("#include <pthread.h>\n#include <time.h>\n_Atomic int slept = -1;\nstruct timespec t0, t1;\n"
                     "void *sleeper(void *p)\n{\n\tclock_gettime(CLOCK_MONOTONIC, &t0);\n\tint r = usleep(700000);\n"
                     "\tclock_gettime(CLOCK_MONOTONIC, &t1);\n\tslept = r;\n\treturn p;\n}\n"
                     "pthread_t t;\npthread_create(&t, NULL, sleeper, NULL);").ok()
    for i in range(20):
        fresh_kernel.run(f"int step{i} = {i};").ok()
    assert wait_until(lambda: fresh_kernel.run("(int)slept").ok().text == "0")
    ms = int(fresh_kernel.run("(t1.tv_sec - t0.tv_sec) * 1000 + (t1.tv_nsec - t0.tv_nsec) / 1000000").ok().text)
    assert ms >= 700


def test_a_thread_that_waits_for_a_condition(fresh_kernel):
    fresh_kernel.run("#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
                     "pthread_cond_t c = PTHREAD_COND_INITIALIZER;\nint go, done;\nvoid *waiter(void *p)\n{\n"
                     "\tpthread_mutex_lock(&m);\n\twhile (!go)\n\t\tpthread_cond_wait(&c, &m);\n"
                     "\tdone = 1;\n\tpthread_mutex_unlock(&m);\n\treturn p;\n}\npthread_t t;\n"
                     "pthread_create(&t, NULL, waiter, NULL);").ok()
    for i in range(5):
        fresh_kernel.run(f"int step{i};").ok()
    fresh_kernel.run("pthread_mutex_lock(&m); go = 1; pthread_cond_signal(&c);\n"
                     "pthread_mutex_unlock(&m);\npthread_join(t, NULL);").ok()
    assert fresh_kernel.run("done").ok().text == "1"


def test_a_thread_that_faults_between_cells(fresh_kernel, tmp_path):
    go = tmp_path / "go"
    fresh_kernel.run(f'#include <pthread.h>\n#include <unistd.h>\nint kept = 5;\nvoid *bomb(void *p)\n{{\n'
                     f'\twhile (access("{go}", F_OK))\n\t\tusleep(1000);\n\t*(volatile int *)8 = 1;\n\treturn p;\n}}\n'
                     'pthread_t t;\npthread_create(&t, NULL, bomb, NULL);').ok()
    worker = fresh_kernel.worker_pid()
    go.touch()
    assert wait_until(lambda: worker not in [p.pid for p in fresh_kernel.children()])
    r = fresh_kernel.run("kept").ok()
    assert r.text == "5"
    assert "SegmentationFault" in r.stderr and "bomb" in r.stderr, r.stderr


def test_a_thread_that_blocks_all_signals_is_stopped_too(fresh_kernel):
    fresh_kernel.run("#include <pthread.h>\n#include <signal.h>\n_Atomic long n;\nvoid *deaf(void *p)\n{\n\tsigset_t all;\n"
                     "\tsigfillset(&all);\n\tpthread_sigmask(SIG_BLOCK, &all, NULL);\n\tfor (;;)\n\t\tn++;\n\treturn p;\n}\n"
                     "pthread_t t;\npthread_create(&t, NULL, deaf, NULL);").ok()
    assert int(fresh_kernel.run("(long)n").ok().text) <= int(fresh_kernel.run("(long)n").ok().text)


def test_a_checkpoint_while_threads_run(fresh_kernel):
    fresh_kernel.run(TWO_COUNTERS).ok()
    r = fresh_kernel.run("int step = 1;\nint failed = cgpu_checkpoint();\nstep = 2;\n*(volatile int *)0 = 1;")
    assert r.ename == "SegmentationFault"
    assert fresh_kernel.run("10 * step + failed").ok().text == "10"


@pytest.mark.parametrize("threads", [64])
def test_many_threads(fresh_kernel, threads):
    fresh_kernel.run("#include <pthread.h>\n_Atomic long n;\nvoid *count(void *p) { for (;;) { n++; usleep(100); } return p; }\n"
                     f"for (int i = 0; i < {threads}; i++) {{ pthread_t t; pthread_create(&t, NULL, count, NULL); }}").ok()
    for i in range(20):
        fresh_kernel.run(f"int v{i} = {i};").ok()
    assert len(os.listdir(f"/proc/{fresh_kernel.worker_pid()}/task")) > threads
