/* SPDX-License-Identifier: Apache-2.0 */
/* The deadline is long, since only a hang of ours reaches it. */
#define _GNU_SOURCE
#include "tests/unit/kernel/supervisor-harness.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "kernel/base/loop.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/supervisor/supervisor.h"
#include "kernel/units/compiled-unit.h"
#include "kernel/workers/worker-pool.h"

#define DEADLINE_MS 180000
#define POLL_MS 1

static void put(struct buffer *b, const char *text)
{
	buffer_clear(b);
	buffer_puts(b, text);
}

static void accept(struct harness *h, const struct unit *u)
{
	struct declaration_change *changes = calloc(u->n_declarations + 1, sizeof(*changes));

	h->declarations = realloc(h->declarations, (h->n_declarations + u->n_declarations + 1) *
							   sizeof(*h->declarations));
	for (size_t i = 0; i < u->n_declarations; i++) {
		struct declaration d = u->declarations[i];

		d.name = strdup(d.name);
		d.host = strdup(d.host);
		d.device = strdup(d.device);
		d.written = strdup(declaration_written(&d));
		changes[i] = (struct declaration_change){ (uint32_t)h->n_declarations, d };
		h->declarations[h->n_declarations++] = d;
	}
	supervisor_declare(h->supervisor, h->n_declarations, changes, u->n_declarations);
	free(changes);
}

static void on_compiled(void *data, struct compiled_unit *unit, const char *headline,
			const char *diagnostics)
{
	struct harness *h = data;

	h->last.compiled = true;
	if (unit) {
		compiled_unit_release(h->unit);
		h->unit = compiled_unit_keep(unit);
		supervisor_run(h->supervisor, unit, &(struct buffer)BUFFER_INIT, &h->options);
		h->options = (struct run_options){ 0 };
		return;
	}
	put(&h->last.ename, "CompileError");
	put(&h->last.evalue, headline);
	put(&h->last.traceback, diagnostics);
	h->last.ended = true;
	loop_stop(h->loop);
}

static void on_output(void *data, enum output_type type, const char *bytes, size_t len)
{
	struct harness *h = data;

	if (type == OUTPUT_RESULT)
		h->last.has_result = true;
	if (type == OUTPUT_STDOUT)
		buffer_append(&h->last.output, bytes, len);
	if (type == OUTPUT_STDERR)
		buffer_append(&h->last.errors, bytes, len);
	if (h->awaited && strstr(buffer_text(&h->last.output), h->awaited))
		loop_stop(h->loop);
}

static void on_input_request(void *data, const char *prompt, bool password)
{
	struct harness *h = data;

	(void)prompt;
	(void)password;
	supervisor_input(h->supervisor, false, "a line");
}

static void on_cell_end(void *data, const struct cell_end *end)
{
	struct harness *h = data;

	h->last.ended = true;
	h->last.ok = end->ok;
	h->last.interrupted = end->interrupted;
	h->last.rolled_back = end->rolled_back;
	put(&h->last.ename, end->ename);
	put(&h->last.evalue, end->evalue);
	put(&h->last.traceback, end->traceback);
	put(&h->last.restored, end->restored);
	put(&h->last.warnings, end->warnings);
	h->last.commit_ns = end->commit_ns;
	h->last.committed_bytes = end->committed_bytes;
	if (!end->rolled_back)
		accept(h, &h->unit->unit);
	loop_stop(h->loop);
}

static const struct supervisor_callbacks callbacks = { on_compiled, on_output, on_input_request,
						       on_cell_end };

void harness_start(struct harness *h, const char *connection_file, unsigned disabled)
{
	struct error err = ERROR_INIT;
	struct supervisor_options o = {
		.libexec_dir = LIBEXEC,
		.hidden = connection_file,
		.device_limit = 1ull << 30,
		.undo_limit = 1ull << 28,
		.disabled_sandbox = disabled,
	};

	*h = (struct harness){ .loop = loop_new() };
	setenv("CGPU_PRELUDE", PRELUDE, 1);
	h->supervisor = supervisor_new(&o, &err);
	if (!h->supervisor || supervisor_launch(h->supervisor, &err))
		fail_msg("%s", err.text);
	supervisor_start(h->supervisor, h->loop, &callbacks, h);
}

static void outcome_release(struct outcome *o)
{
	struct buffer *all[] = { &o->output,    &o->errors,   &o->ename,   &o->evalue,
				 &o->traceback, &o->restored, &o->warnings };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		buffer_release(all[i]);
	*o = (struct outcome){ 0 };
}

static void drop_declarations(struct harness *h)
{
	while (h->n_declarations) {
		struct declaration *d = &h->declarations[--h->n_declarations];

		free((char *)d->name);
		free((char *)d->host);
		free((char *)d->device);
		free((char *)d->written);
	}
}

void harness_forget(struct harness *h)
{
	drop_declarations(h);
	supervisor_declare(h->supervisor, 0, NULL, 0);
}

void harness_stop(struct harness *h)
{
	supervisor_free(h->supervisor);
	loop_free(h->loop);
	outcome_release(&h->last);
	compiled_unit_release(h->unit);
	drop_declarations(h);
	free(h->declarations);
}

int harness_remove_folder(const char *folder)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (*e->d_name != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	return rmdir(folder);
}

static void on_deadline(void *data)
{
	struct harness *h = data;

	h->late = true;
	loop_stop(h->loop);
}

static void turn(struct harness *h, const char *what)
{
	struct loop_source *deadline = loop_add_timer(h->loop, DEADLINE_MS, on_deadline, h);

	loop_run(h->loop);
	if (h->late)
		fail_msg("no end of: %s\n%s", what, buffer_text(&h->last.output));
	loop_remove(h->loop, deadline);
}

void harness_begin(struct harness *h, const char *text)
{
	char name[32];

	outcome_release(&h->last);
	snprintf(name, sizeof(name), "In[%u]", ++h->cell);
	assert_int_equal(supervisor_compile(h->supervisor,
					    &(struct supervisor_compilation){
						    .cell = h->cell,
						    .name = name,
						    .text = text,
						    .cflags = "",
						    .nvflags = "",
						    .options = &(struct run_options){ 0 },
					    },
					    NULL),
			 0);
}

void harness_wait_end(struct harness *h)
{
	while (!h->last.ended)
		turn(h, "a cell");
}

void harness_run(struct harness *h, const char *text)
{
	harness_begin(h, text);
	harness_wait_end(h);
}

const char *harness_ok(struct harness *h, const char *text)
{
	harness_run(h, text);
	if (!h->last.ok)
		fail_msg("%s\n%s\n%s", text, buffer_text(&h->last.traceback),
			 buffer_text(&h->last.restored));
	return buffer_text(&h->last.output);
}

void harness_fault(struct harness *h, const char *text, const char *ename)
{
	harness_run(h, text);
	if (h->last.ok || strcmp(buffer_text(&h->last.ename), ename))
		fail_msg("%s\ngave %s, not %s:\n%s", text,
			 h->last.ok ? "ok" : buffer_text(&h->last.ename), ename,
			 buffer_text(&h->last.traceback));
}

void harness_start_cell(struct harness *h, const char *text, const char *until)
{
	h->awaited = until;
	harness_begin(h, text);
	while (!h->last.ended && !strstr(buffer_text(&h->last.output), until))
		turn(h, text);
	h->awaited = NULL;
	if (h->last.ended)
		fail_msg("%s\nended with %s:\n%s", text, buffer_text(&h->last.ename),
			 buffer_text(&h->last.traceback));
}

static void on_pass_end(void *data)
{
	loop_stop(((struct harness *)data)->loop);
}

void harness_until(struct harness *h, bool (*fn)(void *data), void *data)
{
	uint64_t deadline = loop_now_ms() + DEADLINE_MS;

	while (!fn(data)) {
		/* A timer that is due ends the pass that calls it. */
		loop_add_timer(h->loop, 0, on_pass_end, h);
		loop_run(h->loop);
		if (loop_now_ms() > deadline)
			fail_msg("no end of: an event\n%s", buffer_text(&h->last.output));
		if (!fn(data))
			poll(NULL, 0, POLL_MS);
	}
}

static bool has_worker(void *data)
{
	return worker_pool_is_ready(((struct harness *)data)->supervisor);
}

pid_t harness_worker(const struct harness *h)
{
	harness_until((struct harness *)h, has_worker, (void *)h);
	return h->supervisor->pool->active->pid;
}

static bool has_spare(void *data)
{
	const struct worker_pool *p = ((struct harness *)data)->supervisor->pool;

	return p->spare && p->spare->state == WORKER_READY && p->active;
}

pid_t harness_spare(const struct harness *h)
{
	harness_until((struct harness *)h, has_spare, (void *)h);
	return h->supervisor->pool->spare->pid;
}

pid_t harness_zygote(const struct harness *h)
{
	return h->supervisor->pool->zygote.process.pid;
}

static bool is_gone(void *data)
{
	return kill(*(pid_t *)data, 0) && errno == ESRCH;
}

void harness_kill(struct harness *h, pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	harness_until(h, is_gone, &pid);
}
