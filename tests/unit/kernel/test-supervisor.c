/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions on the real worker and compiler: faults, deaths of each process, interrupts, undo. After
 * each, a checksum of the variables and heap that the first cells made must be what it was.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "common/protocol/worker-protocol.h"
#include "config.h"
#include "kernel/base/loop.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/supervisor/supervisor.h"
#include "kernel/workers/compiler-client.h"
#include "kernel/workers/question-compiler.h"
#include "kernel/workers/worker-pool.h"
#include "tests/unit/kernel/supervisor-harness.h"

static struct harness h;
static char before[64];

static const char definitions[] =
	"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include "
	"<unistd.h>\n#include <signal.h>\n"
	"int numbers[2000]; char *heap; size_t heap_size = 1 << 20;\n"
	"unsigned long mix(unsigned long h, const void *p, size_t n)\n"
	"{ for (const unsigned char *b = p; n--; b++) h = (h ^ *b) * 0x100000001b3ul; return h; }\n"
	"void show(void)\n"
	"{ unsigned long h = mix(14695981039346656037ul, numbers, sizeof(numbers));\n"
	"  printf(\"%016lx\\n\", mix(mix(h, &heap, sizeof(heap)), heap, heap_size)); }\n";

static const char filling[] = "for (int i = 0; i < 2000; i++) numbers[i] = i * i;\n"
			      "heap = malloc(heap_size);\n"
			      "for (size_t i = 0; i < heap_size; i++) heap[i] = (char)(i * 7);\n"
			      "show();\n";

#define SPOIL "numbers[7] = -1; heap[99] = 1; heap[500000] = 1; free(malloc(100000));\n"

static void assert_untouched(void)
{
	assert_string_equal(harness_ok(&h, "show();"), before);
}

static int set_up(void **state)
{
	(void)state;
	harness_start(&h, NULL, 0);
	harness_ok(&h, definitions);
	snprintf(before, sizeof(before), "%s", harness_ok(&h, filling));
	return strlen(before) == 17 ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	harness_stop(&h);
	return 0;
}

static void assert_says(const char *word)
{
	if (!strstr(buffer_text(&h.last.traceback), word))
		fail_msg("\"%s\" is not in:\n%s", word, buffer_text(&h.last.traceback));
}

static void test_cells(void **state)
{
	(void)state;
	assert_string_equal(harness_ok(&h, "printf(\"%d\\n\", numbers[9]);"), "81\n");
	harness_ok(&h, "numbers[9]");
	assert_true(h.last.has_result);
	assert_string_equal(harness_ok(&h, "write(1, \"raw\\n\", 4);"), "raw\n");
	harness_run(&h, "int broken = ;");
	assert_string_equal(buffer_text(&h.last.ename), "CompileError");
	assert_untouched();
}

static void test_faults(void **state)
{
	static const struct {
		const char *text, *ename, *says;
	} faults[] = {
		{ SPOIL "int *p = NULL;\n*(volatile int *)p = 1;", "SegmentationFault", "line 3" },
		{ SPOIL "*(volatile int *)0x123456789000 = 1;", "SegmentationFault",
		  "0x123456789000" },
		{ SPOIL "volatile int zero = 0, q;\nq = numbers[9] / zero;", "ArithmeticFault",
		  "division by zero" },
		{ SPOIL "abort();", "Aborted", "abort" },
		{ SPOIL "exit(3);", "CellExited", "3" },
		{ SPOIL "_exit(4);", "CellExited", "4" },
		{ SPOIL "kill(getpid(), SIGKILL);", "WorkerKilled", "signal 9" },
		{ SPOIL "char *q = malloc(8);\nfree(q);\nfree(q);", "HeapMisuse", "free" },
		{ SPOIL "int down(int n) { volatile char pad[4096]; pad[0] = n; return down(n + 1) "
			"+ pad[0]; }\ndown(0);",
		  "StackOverflow", "stack" },
		{ SPOIL "mix(0, NULL, 100);", "SegmentationFault", "in mix()" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		harness_fault(&h, faults[i].text, faults[i].ename);
		assert_says(faults[i].says);
		assert_says("rolled back");
		assert_true(h.last.rolled_back);
		assert_untouched();
	}
}

static void test_source_line_is_quoted(void **state)
{
	(void)state;
	harness_fault(&h, "int first = 1;\nint *nowhere = 0;\n*nowhere = first;\n",
		      "SegmentationFault");
	assert_says("*nowhere = first;");
	assert_says("null pointer");
}

static void test_output_before_a_crash(void **state)
{
	(void)state;
	harness_fault(&h, "printf(\"last words\");\n*(volatile int *)0 = 1;", "SegmentationFault");
	assert_string_equal(buffer_text(&h.last.output), "last words");
}

static void test_deaths_between_cells(void **state)
{
	(void)state;
	harness_kill(&h, harness_worker(&h));
	assert_untouched();
	harness_kill(&h, harness_spare(&h));
	harness_fault(&h, SPOIL "*(volatile int *)0 = 1;", "SegmentationFault");
	assert_untouched();
	harness_kill(&h, h.supervisor->pool->zygote.process.pid);
	assert_untouched();
	harness_fault(&h, SPOIL "*(volatile int *)0 = 1;", "SegmentationFault");
	assert_untouched();
	harness_kill(&h, h.supervisor->compiler->process.pid);
	assert_untouched();
}

/* Its descriptors are closed before it can be reaped; workers that are asked for meanwhile come
 * from the next one, and that is no failure of theirs. */
static void test_zygote_that_is_dying(void **state)
{
	(void)state;
	harness_spare(&h);
	assert_int_equal(shutdown(h.supervisor->pool->zygote.process.sock, SHUT_RDWR), 0);
	for (int i = 0; i < 3; i++)
		worker_pool_renew_spare(h.supervisor);
	assert_int_equal(h.supervisor->pool->failures, 0);
	worker_pool_renew(h.supervisor);
	assert_untouched();
}

static void test_worker_killed_busy(void **state)
{
	(void)state;
	harness_start_cell(&h, SPOIL "printf(\"on\\n\"); fflush(stdout); for (;;) pause();", "on");
	kill(h.supervisor->pool->active->pid, SIGKILL);
	harness_wait_end(&h);
	assert_string_equal(buffer_text(&h.last.ename), "WorkerKilled");
	assert_untouched();
}

static bool was_looked_at(void *data)
{
	const struct worker *w = h.supervisor->pool->dying;

	(void)data;
	return w && w->cpu_deadline.looked_ms > w->cpu_deadline.began_ms + 3 * CPU_DEADLINE_LOOK_MS;
}

/* A loaded machine gives a killed worker no processor to end on; here a debugger holds it in its
 * last step. */
static void test_worker_that_ends_late(void **state)
{
	pid_t pid = harness_worker(&h);

	(void)state;
	assert_int_equal(ptrace(PTRACE_SEIZE, pid, NULL, (void *)PTRACE_O_TRACEEXIT), 0);
	worker_pool_retire(h.supervisor);
	harness_until(&h, was_looked_at, NULL);
	assert_int_equal(h.supervisor->pool->dying->cpu_deadline.used_ms, 0);
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	assert_untouched();
	assert_null(strstr(buffer_text(&h.last.restored), "cannot be killed"));
}

static bool compiler_was_looked_at(void *data)
{
	const struct cpu_deadline *p = &h.supervisor->compiler->cpu_deadline;

	(void)data;
	return p->looked_ms > p->began_ms + 3 * CPU_DEADLINE_LOOK_MS;
}

static void on_completed(void *data, uint32_t type, const void *payload, size_t len)
{
	(void)type;
	(void)len;
	*(int *)data = payload ? 1 : -1;
}

static bool has_answer(void *data)
{
	return *(int *)data != 0;
}

static void each_thread(pid_t pid, void (*fn)(pid_t thread))
{
	char path[64];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	d = opendir(path);
	assert_non_null(d);
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			fn((pid_t)atoi(e->d_name));
	closedir(d);
}

static void hold(pid_t thread)
{
	assert_int_equal(ptrace(PTRACE_SEIZE, thread, NULL, NULL), 0);
	assert_int_equal(ptrace(PTRACE_INTERRUPT, thread, NULL, NULL), 0);
	assert_int_equal(waitpid(thread, NULL, __WALL), thread);
}

static void release(pid_t thread)
{
	assert_int_equal(ptrace(PTRACE_DETACH, thread, NULL, NULL), 0);
}

/* Asked while a debugger holds it, as one that gets no processor; it is let go when it was looked
 * at for a while. */
static void ask_held_compiler(uint64_t used_ms)
{
	pid_t pid = h.supervisor->compiler->process.pid;
	int answer = 0;

	each_thread(pid, hold);
	assert_int_equal(supervisor_complete(h.supervisor, "pri", 3, on_completed, &answer, NULL),
			 0);
	h.supervisor->compiler->cpu_deadline.used_ms = used_ms;
	harness_until(&h, compiler_was_looked_at, NULL);
	assert_int_equal(h.supervisor->compiler->cpu_deadline.used_ms, used_ms);
	each_thread(pid, release);
	harness_until(&h, has_answer, &answer);
	assert_int_equal(answer, 1);
	assert_int_equal(h.supervisor->compiler->process.pid, pid);
}

static void test_compiler_that_gets_no_processor(void **state)
{
	(void)state;
	harness_ok(&h, "1;");
	ask_held_compiler(0);
	/* Before its hello it has longer. */
	h.supervisor->compiler->said_hello = false;
	ask_held_compiler(CPU_DEADLINE_END_MS / 2);
	h.supervisor->compiler->said_hello = true;
}

static bool second_compiler_has_ended(void *data)
{
	(void)data;
	return !h.supervisor->questions->client.process.pid;
}

static void test_questions_while_the_compiler_is_at_work(void **state)
{
	const struct compiler_client *second = &h.supervisor->questions->client;
	pid_t pid = h.supervisor->compiler->process.pid;
	int answers[2] = { 0, 0 };

	(void)state;
	harness_ok(&h, "1;");
	assert_int_equal(second->process.pid, 0);
	/* At once, when it has answered. */
	h.supervisor->questions->idle_ms = 1;
	each_thread(pid, hold);
	harness_begin(&h, "2;");
	for (int i = 0; i < 2; i++)
		assert_int_equal(supervisor_complete(h.supervisor, "pri", 3, on_completed,
						     &answers[i], NULL),
				 0);
	harness_until(&h, has_answer, &answers[0]);
	harness_until(&h, has_answer, &answers[1]);
	assert_true(answers[0] == 1 && answers[1] == 1 && h.supervisor->compiling);
	harness_until(&h, second_compiler_has_ended, NULL);
	each_thread(pid, release);
	harness_wait_end(&h);
	assert_true(h.last.ok);
	assert_int_equal(h.supervisor->compiler->process.pid, pid);
	assert_untouched();
}

static bool cell_waits(void *data)
{
	(void)data;
	return h.supervisor->run.phase == RUN_WAITING || h.last.ended;
}

/* Who asks for the undo log, or saves, waits for the copying that a cell waits for: the cell runs
 * all the same. */
static void test_copying_that_two_wait_for(void **state)
{
	(void)state;
	harness_ok(&h,
		   "#include <stdlib.h>\n#include <string.h>\nchar *large = malloc(256ul << 20);\n"
		   "memset(large, 1, 256ul << 20);");
	harness_ok(&h, "memset(large, 2, 256ul << 20);");
	harness_begin(&h, "large[5]++;");
	harness_until(&h, cell_waits, NULL);
	supervisor_settle(h.supervisor);
	harness_wait_end(&h);
	assert_true(h.last.ok);
	harness_ok(&h, "free(large);");
}

static bool session_is_there(void *data)
{
	(void)data;
	return worker_pool_is_ready(h.supervisor);
}

/* One that cannot be ended, as in a driver that hangs: here a debugger holds it for ever, and no
 * time passes but a jump. */
static void test_worker_that_cannot_be_killed(void **state)
{
	pid_t pid = harness_worker(&h);

	(void)state;
	assert_int_equal(ptrace(PTRACE_SEIZE, pid, NULL, (void *)PTRACE_O_TRACEEXIT), 0);
	worker_pool_retire(h.supervisor);
	h.supervisor->pool->dying->cpu_deadline.began_ms -= CPU_DEADLINE_END_MS;
	harness_until(&h, session_is_there, NULL);
	harness_ok(&h, "1;");
	assert_non_null(strstr(buffer_text(&h.last.restored), "GPU stuck: process "));
	assert_untouched();
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	assert_untouched();
}

#if HAVE_CUDA
static bool spare_is_forked(void *data)
{
	(void)data;
	return h.supervisor->pool->spare && h.supervisor->pool->spare->state == WORKER_FORKED;
}

/* The driver never comes back from its initialisation: the session goes on without the device. */
static void test_driver_that_hangs(void **state)
{
	(void)state;
	setenv("CGPU_EMULATED_FAIL", "init=slow:1000000", 1);
	harness_kill(&h, h.supervisor->pool->zygote.process.pid);
	harness_kill(&h, harness_spare(&h));
	harness_until(&h, spare_is_forked, NULL);
	harness_kill(&h, harness_worker(&h));
	h.supervisor->pool->spare->cpu_deadline.began_ms -= CPU_DEADLINE_END_MS;
	harness_until(&h, session_is_there, NULL);
	assert_untouched();
	harness_run(&h, "void *p; cudaMalloc(&p, 4);");
	assert_true(h.last.ok);
	assert_non_null(strstr(buffer_text(&h.last.warnings), "has hung in its driver"));
	unsetenv("CGPU_EMULATED_FAIL");
	harness_kill(&h, h.supervisor->pool->zygote.process.pid);
	h.supervisor->pool->device_hangs = false;
	worker_pool_renew(h.supervisor);
	harness_until(&h, session_is_there, NULL);
	harness_run(&h, "cudaMalloc(&p, 4);");
	assert_true(h.last.ok && !h.last.warnings.len);
	assert_untouched();
}
#endif

struct step_killer {
	enum commit_step step;
	int hits;
};

static void kill_at(void *data, enum commit_step step)
{
	struct step_killer *k = data;
	siginfo_t info;

	if (step != k->step || k->hits++)
		return;
	kill(h.supervisor->pool->active->pid, SIGKILL);
	/* All of it is gone before the next step, its memory too. */
	waitid(P_PID, (id_t)h.supervisor->pool->active->pid, &info, WEXITED | WNOWAIT | __WALL);
}

/* Old or new, by a checksum of everything that the cell changed. */
static void test_killed_at_every_step_of_a_commit(void **state)
{
	(void)state;
	for (int step = 0; step < COMMIT_STEPS; step++) {
		struct step_killer killer = { step, 0 };
		const char *after;

		h.supervisor->commit_hook = (struct commit_hook){ kill_at, &killer };
		harness_run(&h, "for (int i = 0; i < 2000; i++) numbers[i]++;\n"
				"for (size_t i = 0; i < heap_size; i += 5000) heap[i]++;");
		h.supervisor->commit_hook = (struct commit_hook){ 0 };
		assert_true(killer.hits > 0);
		if (!h.last.ok) {
			assert_string_equal(buffer_text(&h.last.ename), "WorkerKilled");
			assert_untouched();
			continue;
		}
		after = harness_ok(&h, "show();");
		assert_string_not_equal(after, before);
		harness_ok(&h, "for (int i = 0; i < 2000; i++) numbers[i]--;\n"
			       "for (size_t i = 0; i < heap_size; i += 5000) heap[i]--;");
		assert_untouched();
	}
}

/* Stands still inside a large commit until the loop has done something else, or is not going to. */
struct stander {
	sem_t go;
	pthread_t loop;
	bool killed; /* the loop's work was to kill the worker */
	bool stood, late;
};

static void stand(void *data, enum commit_step step)
{
	struct stander *s = data;
	struct timespec deadline;

	if (step != COMMIT_STAGED)
		return;
	s->stood = true;
	/* The loop is not going to, where the copying is its own work. */
	s->late = pthread_equal(pthread_self(), s->loop);
	if (s->late)
		return;
	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec += 180;
	s->late = sem_timedwait(&s->go, &deadline) != 0;
}

static void let_go(void *data)
{
	struct stander *s = data;

	if (!s->stood) {
		loop_add_timer(h.loop, 1, let_go, s);
		return;
	}
	assert_int_equal(h.supervisor->run.phase, RUN_COMMITTING);
	if (s->killed)
		kill(h.supervisor->pool->active->pid, SIGKILL);
	sem_post(&s->go);
}

static void test_loop_works_during_a_large_commit(void **state)
{
	/* Every other page: a large range that was overwritten whole is written in place by a later
	 * cell, and there is nothing to copy. */
	static const char *const texts[] = {
		"for (int i = 0; i < 2000; i++) numbers[i]++;\nfor (size_t i = 0; i < big_size; i "
		"+= 8192) first[i]++;",
		"for (int i = 0; i < 2000; i++) numbers[i]++;\nfor (size_t i = 0; i < big_size; i "
		"+= 8192) second[i]++;",
	};

	(void)state;
	harness_ok(&h, "size_t big_size = 32ul << 20; char *first = malloc(big_size), *second = "
		       "malloc(big_size);\n"
		       "for (size_t i = 0; i < big_size; i += 8192)\n"
		       "\tfirst[i] = second[i] = second[i + 5] = 1;");
	for (int killed = 0; killed < 2; killed++) {
		struct stander s = { .loop = pthread_self(), .killed = killed };

		sem_init(&s.go, 0, 0);
		h.supervisor->commit_hook = (struct commit_hook){ stand, &s };
		loop_add_timer(h.loop, 1, let_go, &s);
		harness_ok(&h, texts[killed]);
		h.supervisor->commit_hook = (struct commit_hook){ 0 };
		assert_true(s.stood);
		assert_false(s.late);
		sem_destroy(&s.go);
	}
	assert_string_equal(
		harness_ok(&h,
			   "printf(\"%d %d %d\\n\", first[0], second[8192], second[8192 + 5]);"),
		"2 2 1\n");
	harness_ok(&h,
		   "for (int i = 0; i < 2000; i++) numbers[i] -= 2;\nfree(first); free(second);");
	assert_untouched();
}

/* Interrupts the cell behind the text that sets numbers[5]. */
static void interrupt(const char *cell, int value)
{
	char text[256];

	snprintf(text, sizeof(text), "numbers[5] = %d; printf(\"on\\n\"); fflush(stdout);\n%s",
		 value, cell);
	harness_start_cell(&h, text, "on");
	supervisor_interrupt(h.supervisor);
	harness_wait_end(&h);
	if (strcmp(buffer_text(&h.last.ename), "Interrupted"))
		fail_msg("%s gave %s", cell, buffer_text(&h.last.ename));
}

static void assert_number(int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", value);
	assert_string_equal(harness_ok(&h, "printf(\"%d\\n\", numbers[5]);"), text);
}

static void test_interrupted_cells(void **state)
{
	static const char *const cells[] = {
		"for (volatile int i = 0; ; i++) ;",
		"sleep(1000);",
		"for (;;) free(malloc(100));",
		"for (;;) { printf(\"x\\n\"); }",
		"int ends[2]; pipe(ends); read(ends[0], ends, 1);",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		struct error err = ERROR_INIT;
		int value = 1000 + 10 * (int)i;

		interrupt(cells[i], value);
		assert_true(h.last.rolled_back);
		assert_number(25);
		interrupt(cells[i], value + 1);
		assert_true(h.last.rolled_back);
		if (session_redo(h.supervisor, &err))
			fail_msg("%s: %s", cells[i], err.text);
		assert_number(value + 1);
		supervisor_set_interrupt(h.supervisor, true);
		interrupt(cells[i], value + 2);
		supervisor_set_interrupt(h.supervisor, false);
		if (h.last.rolled_back)
			fail_msg("%s was rolled back:\n%s", cells[i],
				 buffer_text(&h.last.traceback));
		assert_number(value + 2);
		harness_ok(&h, "numbers[5] = 25;");
	}
	assert_untouched();
}

static void test_undo_and_reset(void **state)
{
	struct error err = ERROR_INIT;
	const struct unit_variable *v;
	uint64_t at;
	bool undoable;

	(void)state;
	at = supervisor_state(h.supervisor);
	harness_ok(&h, SPOIL);
	harness_ok(&h, SPOIL "free(heap); heap = malloc(heap_size); memset(heap, 2, heap_size);");
	harness_ok(&h, "int late = 3;");
	if (session_undo(h.supervisor, at, &err))
		fail_msg("%s", err.text);
	assert_untouched();
	assert_int_not_equal(supervisor_variables(h.supervisor, &v), 0);
	if (supervisor_reset(h.supervisor, &undoable, &err))
		fail_msg("%s", err.text);
	assert_int_equal(supervisor_variables(h.supervisor, &v), 0);
	harness_forget(&h);
	assert_string_equal(
		harness_ok(&h, "#include <stdio.h>\nint numbers = 3; printf(\"%d\\n\", numbers);"),
		"3\n");
}

static const struct unit_variable *find(const char *name)
{
	const struct unit_variable *v;

	for (size_t n = supervisor_variables(h.supervisor, &v); n; n--, v++)
		if (!strcmp(v->name, name))
			return v;
	return NULL;
}

static void test_variables_and_questions(void **state)
{
	struct error err = ERROR_INIT;
	struct address_description d;
	const struct unit_variable *numbers = find("numbers"), *heap = find("heap");
	uint64_t block;
	int value;

	(void)state;
	assert_non_null(numbers);
	assert_non_null(heap);
	assert_true(find("mix")->is_function);
	assert_int_equal(numbers->size, 8000);
	assert_int_equal(supervisor_read(h.supervisor, numbers->address + 9 * 4, &value, 4), 0);
	assert_int_equal(value, 81);
	assert_int_equal(supervisor_read(h.supervisor, heap->address, &block, 8), 0);
	if (question_describe(h.supervisor, &block, 1, &d, &err))
		fail_msg("%s", err.text);
	assert_int_equal(d.owner, OWNER_HEAP);
	assert_true(d.size >= 1 << 20);
}

static void test_limits(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(supervisor_set_limits(h.supervisor, 64ull << 20, 1ull << 30, &err), 0);
	harness_fault(&h,
		      SPOIL "for (;;) {\n\tvolatile char *q = malloc(1 << 20);\n"
			    "\tfor (int i = 0; i < 1 << 20; i += 512) q[i] = 1;\n}",
		      "OutOfMemory");
	assert_says("64");
	assert_int_equal(supervisor_set_limits(h.supervisor, 0, 1ull << 30, &err), 0);
	assert_untouched();
}

static void test_fork_bomb(void **state)
{
	(void)state;
	harness_fault(&h, SPOIL "for (;;) fork();", "ProcessLimit");
	assert_untouched();
}

static bool is_dead(void *data)
{
	return kill(*(pid_t *)data, 0) != 0;
}

static void test_escaped_child_is_ended(void **state)
{
	int pid = 0;

	(void)state;
	harness_start_cell(
		&h,
		"if (!fork()) {\n\tsetsid();\n\tif (fork()) _exit(0);\n"
		"\tdprintf(1, \"pid %d\\n\", getpid());\n\tfor (;;) pause();\n}\nfor (;;) pause();",
		"\n");
	assert_int_equal(sscanf(buffer_text(&h.last.output), "pid %d", &pid), 1);
	assert_false(is_dead(&pid));
	kill(h.supervisor->pool->active->pid, SIGKILL);
	harness_wait_end(&h);
	harness_until(&h, is_dead, &pid);
	assert_untouched();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_source_line_is_quoted),
		cmocka_unit_test(test_output_before_a_crash),
		cmocka_unit_test(test_deaths_between_cells),
		cmocka_unit_test(test_zygote_that_is_dying),
		cmocka_unit_test(test_worker_killed_busy),
		cmocka_unit_test(test_worker_that_ends_late),
		cmocka_unit_test(test_worker_that_cannot_be_killed),
		cmocka_unit_test(test_questions_while_the_compiler_is_at_work),
		cmocka_unit_test(test_compiler_that_gets_no_processor),
#if HAVE_CUDA
		cmocka_unit_test(test_driver_that_hangs),
#endif
		cmocka_unit_test(test_killed_at_every_step_of_a_commit),
		cmocka_unit_test(test_loop_works_during_a_large_commit),
		cmocka_unit_test(test_copying_that_two_wait_for),
		cmocka_unit_test(test_interrupted_cells),
		cmocka_unit_test(test_variables_and_questions),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_fork_bomb),
		cmocka_unit_test(test_escaped_child_is_ended),
		cmocka_unit_test(test_undo_and_reset),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
