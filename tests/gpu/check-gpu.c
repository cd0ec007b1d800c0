/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cgpu relies on and a machine with a CUDA GPU can show, in minutes and without a hand on it:
 *
 *	check-gpu FOLDER [NAME...]   the experiments of experiments.def, or these, one by one
 *	check-gpu --one NAME         one of them, its rows on stdout
 *
 * Each runs as a process group of its own that is killed when its time is up. FOLDER/results.jsonl
 * has a line for each row as it comes and one for the end of each experiment; those that have ended
 * there are not run again, so a run that was cut off goes on with the next call. FOLDER/table.md
 * has the same to be read. When a process cannot be killed, the driver is stuck, and what comes
 * after it is left out. Nothing of the card's settings is changed.
 *
 * Exit status: 0 all ok, 1 some "NO" or not run, 77 no GPU: nothing was measured.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/gpu/experiment.h"
#include "tests/gpu/gpu.h"

#define BUDGET_MS 540000
#define KILLED_MS 10000
#define NO_GPU 77

static const struct experiment {
	const char *name;
	int seconds;
	void (*run)(int what);
	int what;
	const char *risk, *mend;
} experiments[] = {
#define EXPERIMENT(name, seconds, function, argument, risk, mend)                                  \
	{ #name, seconds, function, argument, risk, mend },
#include "tests/gpu/experiments.def"
#undef EXPERIMENT
};
#define N_EXPERIMENTS (sizeof(experiments) / sizeof(experiments[0]))

static struct run {
	const char *program;
	FILE *results, *table;
	char *done; /* results of earlier calls */
	double began;
	bool stuck; /* a process of an experiment cannot be killed */
	int n_wrong, n_left_out;
} run;

/* --- One experiment --- */

static int run_one(const char *name)
{
	const char *library = getenv("CHECK_GPU_DRIVER"),
		   *missing = gpu_load(library ? library : "libcuda.so.1");

	if (missing) {
		printf("No CUDA driver here, so nothing was measured: %s\n", missing);
		return NO_GPU;
	}
	gpu_report = mmap(NULL, sizeof(*gpu_report), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (gpu_report == MAP_FAILED) {
		perror("check-gpu");
		return 1;
	}
	for (size_t i = 0; i < N_EXPERIMENTS; i++)
		if (!strcmp(experiments[i].name, name)) {
			experiments[i].run(experiments[i].what);
			return 0;
		}
	fprintf(stderr, "check-gpu: there is no experiment %s; see experiments.def\n", name);
	return 2;
}

/* --- All of them --- */

/* {"verdict":"ok","name":"...","text":"..."}, as row() writes it: the value of a key as it stands
 * there. */
static void value_of(const char *line, const char *key, char *ret, size_t size)
{
	char start[32];
	const char *at, *end;

	snprintf(start, sizeof(start), "\"%s\":\"", key);
	at = strstr(line, start);
	*ret = '\0';
	if (!at)
		return;
	at += strlen(start);
	for (end = at; *end && *end != '"'; end++)
		end += *end == '\\' && end[1];
	snprintf(ret, size, "%.*s", (int)(end - at), at);
}

static void put_in_table(const char *verdict, const char *name, const char *text)
{
	fprintf(run.table, "| %s | %s | %s |\n", verdict, name, text);
	fflush(run.table);
	printf("%-2s  %-52s  %s\n", verdict, name, text);
	fflush(stdout);
}

static void take_row(const struct experiment *e, const char *line)
{
	char verdict[8], name[128], text[1024];

	if (*line != '{') {
		printf("%s\n", line);
		return;
	}
	fprintf(run.results, "{\"experiment\":\"%s\",%s\n", e->name, line + 1);
	fflush(run.results);
	value_of(line, "verdict", verdict, sizeof(verdict));
	value_of(line, "name", name, sizeof(name));
	value_of(line, "text", text, sizeof(text));
	put_in_table(verdict, name, text);
	if (strcmp(verdict, "NO"))
		return;
	run.n_wrong++;
	put_in_table("", "", e->risk);
	if (*e->mend)
		put_in_table("", "", e->mend);
}

/* why_not: NULL when it has come to its end. */
static void end_experiment(const struct experiment *e, const char *why_not, double began)
{
	fprintf(run.results,
		"{\"experiment\":\"%s\",\"end\":\"%s\",\"seconds\":%.1f,\"risk\":\"%s\",\"mend\":"
		"\"%s\"}\n",
		e->name, why_not ? why_not : "done", (gpu_now() - began) / 1e3, e->risk, e->mend);
	fflush(run.results);
	if (why_not) {
		put_in_table("NO", e->name, why_not);
		put_in_table("", "", e->risk);
		run.n_left_out++;
	}
}

/* Rows until the end of the output or of the time. True: all of them came. */
static bool read_rows(const struct experiment *e, int fd, double deadline)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char line[4096];
	size_t n = 0;

	for (;;) {
		int left = (int)(deadline - gpu_now());
		char c;

		if (left <= 0 || poll(&p, 1, left) <= 0)
			return false;
		if (read(fd, &c, 1) != 1)
			return true;
		if (c != '\n') {
			line[n] = c;
			n += n < sizeof(line) - 1;
			continue;
		}
		line[n] = '\0';
		n = 0;
		take_row(e, line);
	}
}

static pid_t start(const struct experiment *e, int *ret_out)
{
	int out[2];
	pid_t pid;

	if (pipe2(out, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		dup2(out[1], STDOUT_FILENO);
		execl(run.program, run.program, "--one", e->name, NULL);
		_exit(127);
	}
	setpgid(pid, pid);
	close(out[1]);
	*ret_out = out[0];
	return pid;
}

/* Kill what is left of the group; false: its first process does not end. */
static bool end_group(pid_t pid, int *ret_status)
{
	struct pollfd p = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	bool ended = poll(&p, 1, 0) > 0;

	if (!ended) {
		kill(-pid, SIGKILL);
		ended = poll(&p, 1, KILLED_MS) > 0;
	}
	close(p.fd);
	if (ended)
		waitpid(pid, ret_status, 0);
	kill(-pid, SIGKILL);
	return ended;
}

/* False: there is no GPU. */
static bool run_experiment(const struct experiment *e)
{
	double began = gpu_now();
	char key[96];
	int out, status = 0;
	bool whole;
	pid_t pid;

	snprintf(key, sizeof(key), "{\"experiment\":\"%s\",\"end\":\"done\"", e->name);
	if (run.done && strstr(run.done, key))
		return true;
	if (run.stuck ||
	    began - run.began + patient_ms(e->seconds * 1000) > patient_ms(BUDGET_MS)) {
		end_experiment(
			e,
			run.stuck ? "left out: the driver holds a process that cannot be killed"
				  : "left out: there is no time for it; call again",
			began);
		return true;
	}
	pid = start(e, &out);
	if (pid < 0) {
		perror("check-gpu");
		exit(1);
	}
	whole = read_rows(e, out, began + patient_ms(e->seconds * 1000));
	close(out);
	run.stuck = !end_group(pid, &status);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_GPU && whole)
		return false;
	end_experiment(e,
		       run.stuck             ? "it cannot be killed"
		       : !whole              ? "its time is up"
		       : WIFSIGNALED(status) ? "it was killed by a signal"
		       : status              ? "it failed"
					     : NULL,
		       began);
	return true;
}

static char *read_all(const char *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = fopen(path, "re");

	if (f && getdelim(&text, &size, '\0', f) < 0) {
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

static int open_folder(const char *folder)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/results.jsonl", folder);
	run.done = read_all(path);
	run.results = fopen(path, "ae");
	snprintf(path, sizeof(path), "%s/table.md", folder);
	run.table = fopen(path, "ae");
	if (!run.results || !run.table) {
		perror(path);
		return -1;
	}
	if (!run.done)
		fputs("| | experiment | |\n|---|---|---|\n", run.table);
	return 0;
}

static bool is_asked_for(const char *name, char **names, int n)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return !n;
}

static int run_all(const char *folder, char **names, int n)
{
	run.began = gpu_now();
	if (open_folder(folder))
		return 1;
	for (size_t i = 0; i < N_EXPERIMENTS; i++)
		if (is_asked_for(experiments[i].name, names, n) && !run_experiment(&experiments[i]))
			return NO_GPU;
	printf("%d of the answers that cgpu relies on were NO, %d experiments did not end; %.0f "
	       "s\n",
	       run.n_wrong, run.n_left_out, (gpu_now() - run.began) / 1e3);
	return run.n_wrong || run.n_left_out;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--one"))
		return run_one(argv[2]);
	if (argc < 2 || *argv[1] == '-') {
		fprintf(stderr, "usage: check-gpu FOLDER [NAME...], or check-gpu --one NAME\n");
		return 2;
	}
	run.program = "/proc/self/exe";
	return run_all(argv[1], argv + 2, argc - 2);
}
