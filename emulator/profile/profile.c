/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counts of a launch are added when it has ended, under one lock, so that no block waits for it
 * while it counts. An instruction counts for the innermost frame whose file has no absolute path,
 * else for the outermost one: what is inlined from a toolkit header is charged to the line of the
 * cell that calls it. Entries and lines are found by linear search, lines from the newest back,
 * because neighbours in the code share a line. After SPANS_MAX pieces of work on streams the rest
 * are only counted.
 */
#include "emulator/profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/clock.h"
#include "common/cuda/lambda-name.h"
#include "emulator/profile/instruction.h"
#include "emulator/ptx/ptx-lines.h"
#include "emulator/ptx/ptx-program.h"
#include "emulator/ptx/ptx-syntax.h"
#include "emulator/report/function-name.h"
#include "emulator/warp/machine.h"

#define FRAMES_MAX 16
#define SPANS_MAX 5000 /* more than that nobody can read */

struct profile *profile_new(void)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	pthread_mutex_init(&p->lock, NULL);
	mem_pool_init(&p->pool);
	p->start_ns = clock_now_ns();
	return p;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	launch_profile_release(&p->report);
	mem_pool_release(&p->pool);
	pthread_mutex_destroy(&p->lock);
	free(p->streams);
	free(p);
}

static const char *keep(struct profile *p, const char *text)
{
	char *copy = mem_pool_strdup(&p->pool, text);

	lambda_name_show(copy);
	p->failed |= !copy;
	return copy ? copy : "";
}

/* ---- kernels and lines ---- */

static uint32_t find_kernel(struct profile *p, const char *name)
{
	struct launch_profile *r = &p->report;
	const char *shown = keep(p, name);

	for (size_t i = 0; i < r->n_kernels; i++)
		if (!strcmp(r->kernels[i].name, shown))
			return (uint32_t)i;
	p->failed |= !ARRAY_ROOM(r->kernels, r->n_kernels, &p->cap_kernels);
	if (p->failed)
		return 0;
	r->kernels[r->n_kernels] = (struct profile_kernel){ .name = shown };
	return (uint32_t)r->n_kernels++;
}

static struct profile_line *find_line(struct profile *p, uint32_t kernel,
				      const struct ptx_lines_frame *f)
{
	struct launch_profile *r = &p->report;
	struct profile_line *l;

	/* The instructions of a line come one after another. */
	for (size_t i = r->n_lines; i-- > 0;) {
		l = &r->lines[i];
		if (l->kernel == kernel && l->line == f->line && !strcmp(l->file, f->file))
			return l;
	}
	p->failed |= !ARRAY_ROOM(r->lines, r->n_lines, &p->cap_lines);
	if (p->failed)
		return NULL;
	l = &r->lines[r->n_lines++];
	*l = (struct profile_line){ .kernel = kernel,
				    .line = f->line,
				    .file = keep(p, f->file),
				    .function = keep(p, f->function) };
	return l;
}

/* Headers of the toolkit have whole paths; what is inlined from there counts where a cell calls it.
 */
static const struct ptx_lines_frame *own_frame(const struct ptx_lines_frame *frames, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (frames[i].file[0] != '/')
			return &frames[i];
	return &frames[n - 1];
}

struct adding {
	struct profile *profile;
	uint32_t kernel;
};

static void add_instruction(void *data, const struct ptx_program *program,
			    const struct ptx_instruction *in, const struct profile_counts *counts)
{
	struct adding *a = data;
	struct profile_kernel *e = &a->profile->report.kernels[a->kernel];
	const struct ptx_function *f = program->function;
	struct instruction_flops flops = instruction_flops_of(in->text, in->form_len);
	struct profile_counts c = *counts;
	struct ptx_lines_frame frames[FRAMES_MAX], nowhere = { .file = "" };
	uint32_t n = ptx_lines_frames(f->module, in->loc, f->name, frames, FRAMES_MAX);
	struct profile_line *line;

	c.flops = c.lanes * flops.lane + c.executed * flops.warp;
	profile_counts_add(&e->total, &c);
	e->mix[instruction_class_of(in->text, in->form_len)] += c.executed;
	line = find_line(a->profile, a->kernel, n ? own_frame(frames, n) : &nowhere);
	if (line)
		profile_counts_add(&line->counts, &c);
}

/* `geo::fill<float>`: as it is launched, without its parameters. */
static void name_of_entry(const char *symbol, char ret[FUNCTION_NAME_MAX])
{
	int depth = 0;

	function_name(symbol, NULL, ret);
	for (char *p = ret; *p; p++) {
		depth += (*p == '<') - (*p == '>');
		if (*p == '(' && !depth)
			*p = '\0';
		if (!*p)
			return;
	}
}

void profile_add_launch(struct profile *p, const struct machine_launch *l, struct tally *t,
			uint64_t nanoseconds)
{
	struct adding a = { .profile = p };
	struct profile_kernel *e;
	char name[FUNCTION_NAME_MAX];

	name_of_entry(l->kernel->name, name);
	pthread_mutex_lock(&p->lock);
	a.kernel = find_kernel(p, name);
	if (!p->failed) {
		e = &p->report.kernels[a.kernel];
		e->launches++;
		e->nanoseconds += nanoseconds;
		memcpy(e->grid, l->grid, sizeof(e->grid));
		memcpy(e->block, l->block, sizeof(e->block));
		p->failed |= tally_failed(t) || tally_instructions(t, add_instruction, &a);
	}
	pthread_mutex_unlock(&p->lock);
}

/* ---- streams ---- */

static uint32_t stream_number(struct profile *p, const void *stream)
{
	const void **grown;

	if (!stream)
		return 0;
	for (size_t i = 0; i < p->n_streams; i++)
		if (p->streams[i] == stream)
			return (uint32_t)i + 1;
	grown = realloc(p->streams, (p->n_streams + 1) * sizeof(*grown));
	if (!grown) {
		p->failed = true;
		return 0;
	}
	p->streams = grown;
	grown[p->n_streams++] = stream;
	return (uint32_t)p->n_streams;
}

void profile_add_span(struct profile *p, enum profile_span_kind kind, const void *stream,
		      const char *name, uint64_t begin_ns, uint64_t bytes)
{
	struct launch_profile *r = &p->report;
	uint64_t now = clock_now_ns();

	pthread_mutex_lock(&p->lock);
	if (r->n_spans < SPANS_MAX)
		p->failed |= !ARRAY_ROOM(r->spans, r->n_spans, &p->cap_spans);
	else
		r->spans_left_out++;
	if (!p->failed && r->n_spans < SPANS_MAX)
		r->spans[r->n_spans++] = (struct profile_span){
			.kind = kind,
			.stream = stream_number(p, stream),
			.name = keep(p, name),
			.begin_ns = begin_ns > p->start_ns ? begin_ns - p->start_ns : 0,
			.end_ns = now > p->start_ns ? now - p->start_ns : 0,
			.bytes = bytes,
		};
	pthread_mutex_unlock(&p->lock);
}

void profile_encode(struct profile *p, struct buffer *out)
{
	pthread_mutex_lock(&p->lock);
	launch_profile_encode(&p->report, out);
	out->failed |= p->failed;
	pthread_mutex_unlock(&p->lock);
}
