/* SPDX-License-Identifier: Apache-2.0 */
/* The list of steps is kernel/sandbox/steps.def; their functions are here. A step that fails is
 * reported with the reason. */
#define _GNU_SOURCE
#include "kernel/sandbox/sandbox.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/cache-folder.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/base/thread.h"
#include "kernel/sandbox/private-view.h"
#include "kernel/sandbox/seccomp.h"

#define LANDLOCK_CREATE_RULESET_VERSION 1u
#define LANDLOCK_ABI_SCOPE 6
#define TASKS_MAX 512
#define TASKS_PER_CPU 8

static int apply_memory(struct sandbox *s, struct error *err)
{
	return read_only_mount_init(&s->memory, err);
}

/* Appends the folder above the one that programs are in, and above that. */
static void prefix_of(const char *programs, char *ret, size_t size)
{
	snprintf(ret, size, "%s", programs);
	for (int i = 0; i < 2 && strrchr(ret, '/') > ret; i++)
		*strrchr(ret, '/') = '\0';
}

static int apply_view(struct sandbox *s, struct error *err)
{
	cleanup_buffer struct buffer cache = BUFFER_INIT;
	char prefix[PATH_MAX];
	const char *kept[] = { prefix, s->setup.programs, getenv("CUDA_HOME"), s->setup.readable };
	struct private_view v = { .home = getenv("HOME"),
				  .kept = kept,
				  .n_kept = sizeof(kept) / sizeof(kept[0]),
				  .bytes = s->setup.private_bytes };

	/* A view has no place for what is made later. */
	if (s->setup.readable && mkdir(s->setup.readable, 0700) && errno != EEXIST)
		log_warning("cannot make %s: %s", s->setup.readable, strerror(errno));
	prefix_of(s->setup.programs, prefix, sizeof(prefix));
	if (!cache_folder(&cache, NULL))
		v.cache = buffer_text(&cache);
	return private_view_make(&v, &s->view, err);
}

static int apply_dumpable(struct sandbox *s, struct error *err)
{
	(void)s;
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		return error_errno(err, "PR_SET_DUMPABLE");
	return 0;
}

static int apply_subreaper(struct sandbox *s, struct error *err)
{
	(void)s;
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
		return error_errno(err, "PR_SET_CHILD_SUBREAPER");
	return 0;
}

static unsigned rows_of_profile(const struct sandbox *s)
{
	return s->setup.profile >= PROFILE_WORKSPACE ? SECCOMP_WORKSPACE : 0;
}

static int apply_seccomp(struct sandbox *s, struct error *err)
{
	struct buffer unknown = BUFFER_INIT, again = BUFFER_INIT;
	unsigned rows = SECCOMP_CELLS | rows_of_profile(s);
	int failed = seccomp_program(rows | (s->scoped ? 0 : SECCOMP_NO_SCOPE), &s->program,
				     &unknown, err);

	if (!failed && !s->scoped)
		failed = seccomp_program(rows, &s->compiler_program, &again, err);
	if (!failed && unknown.len)
		log_info("this libseccomp does not know: %s", buffer_text(&unknown));
	buffer_release(&unknown);
	buffer_release(&again);
	return failed;
}

/* Decides what the seccomp filter must contain; older versions of Landlock still hide the
 * connection file. */
static int apply_landlock(struct sandbox *s, struct error *err)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	if (abi < 0)
		return error_set(err, ERROR_UNSUPPORTED, "this Linux has no Landlock");
	s->scoped = abi >= LANDLOCK_ABI_SCOPE;
	return 0;
}

static int apply_by_worker(struct sandbox *s, struct error *err)
{
	(void)s;
	(void)err;
	return 0;
}

static int apply_cgroup(struct sandbox *s, struct error *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	return cgroup_init(&s->cgroup, TASKS_MAX + TASKS_PER_CPU * (unsigned)(cpus > 0 ? cpus : 1),
			   err);
}

struct step {
	const char *name;
	bool required;
	unsigned flag;
	const char *mend;
};

static const struct step steps[] = {
#define STEP(symbol, name_, required_, flag_, mend_)                                               \
	[SANDBOX_STEP_##symbol] = { name_, required_, flag_, mend_ },
#include "kernel/sandbox/steps.def"
};

static const struct {
	enum sandbox_step_id id;
	const char *name;
} reports[] = {
#define REPORT(symbol, name) { SANDBOX_STEP_##symbol, name },
#include "kernel/sandbox/steps.def"
};

/* Landlock comes before seccomp here, since the filter depends on it. A process that is not
 * dumpable cannot make a user namespace. */
static const struct {
	enum sandbox_step_id id;
	int (*apply)(struct sandbox *s, struct error *err);
} order[] = {
	{ SANDBOX_STEP_VIEW, apply_view },
	{ SANDBOX_STEP_MEMORY, apply_memory },
	{ SANDBOX_STEP_DUMPABLE, apply_dumpable },
	{ SANDBOX_STEP_SUBREAPER, apply_subreaper },
	{ SANDBOX_STEP_LANDLOCK, apply_landlock },
	{ SANDBOX_STEP_SECCOMP, apply_seccomp },
	{ SANDBOX_STEP_HIDE_FILE, apply_by_worker },
	{ SANDBOX_STEP_LIMITS, apply_by_worker },
	{ SANDBOX_STEP_CAPABILITIES, apply_by_worker },
	{ SANDBOX_STEP_WORKSPACE, apply_by_worker },
	{ SANDBOX_STEP_CGROUP, apply_cgroup },
};

static void note(struct sandbox *s, enum sandbox_step_id id, const char *why)
{
	if (s->missing[id])
		return;
	s->missing[id] = strdup(why);
	log_warning("containment step \"%s\" is not in force: %s", steps[id].name, why);
}

bool sandbox_wants(const struct sandbox *s, enum sandbox_step_id id)
{
	if (id == SANDBOX_STEP_VIEW)
		return s->setup.profile >= PROFILE_LOCKED;
	return id != SANDBOX_STEP_WORKSPACE || s->setup.profile >= PROFILE_WORKSPACE;
}

int sandbox_init(struct sandbox *s, const struct sandbox_setup *setup, struct error *err)
{
	*s = (struct sandbox){ .setup = *setup, .memory = READ_ONLY_MOUNT_INIT };
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		const struct step *step = &steps[order[i].id];
		struct error why = ERROR_INIT;

		if (!sandbox_wants(s, order[i].id))
			continue;
		if (step->flag & setup->disabled ? error_set(&why, ERROR_STATE, "switched off")
						 : order[i].apply(s, &why)) {
			note(s, order[i].id, why.text);
			if (step->required)
				return error_set(err, why.code, "containment step \"%s\": %s. %s",
						 step->name, why.text, step->mend);
			continue;
		}
		s->flags |= step->flag;
	}
	if (!setup->hides)
		s->flags &= ~(unsigned)SANDBOX_HIDE_FILE;
	return 0;
}

void sandbox_release(struct sandbox *s)
{
	sandbox_await_zygote(s);
	cgroup_release(&s->cgroup);
	read_only_mount_release(&s->memory);
	if (s->view)
		close(s->view);
	s->view = 0;
	buffer_release(&s->program);
	buffer_release(&s->compiler_program);
	buffer_release(&s->command_program);
	for (int i = 0; i < SANDBOX_STEPS; i++) {
		free(s->missing[i]);
		s->missing[i] = NULL;
	}
}

const struct buffer *sandbox_command_filter(struct sandbox *s)
{
	struct buffer unknown = BUFFER_INIT;
	struct error err = ERROR_INIT;

	if (s->flags & SANDBOX_SECCOMP && !s->command_program.len &&
	    seccomp_program(rows_of_profile(s), &s->command_program, &unknown, &err))
		note(s, SANDBOX_STEP_SECCOMP, err.text);
	buffer_release(&unknown);
	return &s->command_program;
}

static void *adopt(void *data)
{
	struct sandbox_adoption *a = data;

	a->failed = cgroup_add(a->cgroup, a->pid, &a->err) != 0;
	return NULL;
}

void sandbox_adopt_zygote(struct sandbox *s, pid_t pid)
{
	struct sandbox_adoption *a = &s->adoption;

	sandbox_await_zygote(s);
	*a = (struct sandbox_adoption){ .cgroup = &s->cgroup, .pid = pid };
	a->running = !thread_start(&a->thread, adopt, a);
	if (!a->running && cgroup_add(&s->cgroup, pid, &a->err))
		note(s, SANDBOX_STEP_CGROUP, a->err.text);
}

void sandbox_await_zygote(struct sandbox *s)
{
	struct sandbox_adoption *a = &s->adoption;

	if (!a->running)
		return;
	pthread_join(a->thread, NULL);
	a->running = false;
	if (a->failed)
		note(s, SANDBOX_STEP_CGROUP, a->err.text);
}

void sandbox_report(struct sandbox *s, const char *step, const char *why)
{
	char text[600];

	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		if (!strcmp(step, reports[i].name)) {
			note(s, reports[i].id, why);
			return;
		}
	}
	snprintf(text, sizeof(text), "%s: %s", step, why);
	note(s, SANDBOX_STEP_OTHER, text);
}

const char *sandbox_step_name(enum sandbox_step_id id)
{
	return steps[id].name;
}

const char *sandbox_step_mend(enum sandbox_step_id id)
{
	return steps[id].mend;
}
