/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The encoding is three counted arrays (kernels, lines, spans) without tags, which encoder and
 * decoder walk in the same order. The counters of a kernel or a line come from
 * profile-counters.def, so that a new one is added, encoded and decoded everywhere by one line
 * there. Each count is checked against the bytes that are left before its array is allocated; a
 * memory failure leaves an empty array and is reported at the end, in place of the malformed
 * record that follows from it.
 */
#include "common/protocol/launch-profile.h"

#include <stdlib.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"

static const char *const class_names[] = {
#define INSTRUCTION_CLASS(symbol, name) name,
#include "common/cuda/instruction-classes.def"
#undef INSTRUCTION_CLASS
};

const char *instruction_class_name(enum instruction_class c)
{
	return class_names[c];
}

void profile_counts_add(struct profile_counts *to, const struct profile_counts *more)
{
#define PROFILE_COUNTER(name) to->name += more->name;
#include "common/protocol/profile-counters.def"
#undef PROFILE_COUNTER
}

static void put_counts(const struct profile_counts *c, struct buffer *out)
{
#define PROFILE_COUNTER(name) record_put_u64(out, c->name);
#include "common/protocol/profile-counters.def"
#undef PROFILE_COUNTER
}

static void read_counts(struct record *r, struct profile_counts *ret)
{
#define PROFILE_COUNTER(name) ret->name = record_u64(r);
#include "common/protocol/profile-counters.def"
#undef PROFILE_COUNTER
}

static void put_kernel(const struct profile_kernel *e, struct buffer *out)
{
	record_put_str(out, e->name);
	record_put_u32(out, e->launches);
	for (int i = 0; i < 3; i++) {
		record_put_u32(out, e->grid[i]);
		record_put_u32(out, e->block[i]);
	}
	record_put_u64(out, e->nanoseconds);
	put_counts(&e->total, out);
	for (int i = 0; i < INSTRUCTION_CLASSES; i++)
		record_put_u64(out, e->mix[i]);
}

static void read_kernel(struct record *r, struct profile_kernel *ret)
{
	ret->name = record_str(r);
	ret->launches = record_u32(r);
	for (int i = 0; i < 3; i++) {
		ret->grid[i] = record_u32(r);
		ret->block[i] = record_u32(r);
	}
	ret->nanoseconds = record_u64(r);
	read_counts(r, &ret->total);
	for (int i = 0; i < INSTRUCTION_CLASSES; i++)
		ret->mix[i] = record_u64(r);
}

static void put_line(const struct profile_line *l, struct buffer *out)
{
	record_put_u32(out, l->kernel);
	record_put_u32(out, l->line);
	record_put_str(out, l->file);
	record_put_str(out, l->function);
	put_counts(&l->counts, out);
}

static void read_line(struct record *r, uint32_t kernels, struct profile_line *ret)
{
	ret->kernel = record_u32(r);
	ret->line = record_u32(r);
	ret->file = record_str(r);
	ret->function = record_str(r);
	read_counts(r, &ret->counts);
	r->failed |= ret->kernel >= kernels;
}

static void put_span(const struct profile_span *s, struct buffer *out)
{
	record_put_u32(out, s->kind);
	record_put_u32(out, s->stream);
	record_put_str(out, s->name);
	record_put_u64(out, s->begin_ns);
	record_put_u64(out, s->end_ns);
	record_put_u64(out, s->bytes);
}

static void read_span(struct record *r, struct profile_span *ret)
{
	ret->kind = record_u32(r);
	ret->stream = record_u32(r);
	ret->name = record_str(r);
	ret->begin_ns = record_u64(r);
	ret->end_ns = record_u64(r);
	ret->bytes = record_u64(r);
	r->failed |= ret->kind > SPAN_HOST || ret->end_ns < ret->begin_ns;
}

void launch_profile_encode(const struct launch_profile *p, struct buffer *out)
{
	record_put_u32(out, (uint32_t)p->n_kernels);
	for (size_t i = 0; i < p->n_kernels; i++)
		put_kernel(&p->kernels[i], out);
	record_put_u32(out, (uint32_t)p->n_lines);
	for (size_t i = 0; i < p->n_lines; i++)
		put_line(&p->lines[i], out);
	record_put_u32(out, (uint32_t)p->n_spans);
	for (size_t i = 0; i < p->n_spans; i++)
		put_span(&p->spans[i], out);
	record_put_u64(out, p->spans_left_out);
}

static void *read_array(struct record *r, size_t least, size_t size, size_t *ret_n, bool *failed)
{
	size_t n = record_count(r, least);
	void *array = calloc(n + 1, size);

	*ret_n = array ? n : 0;
	*failed |= !array;
	return array;
}

int launch_profile_decode(const void *data, size_t len, struct launch_profile *ret,
			  struct error *err)
{
	struct record r = record_open(data, len);
	struct launch_profile p = { 0 };
	bool failed = false;

	p.kernels = read_array(&r, sizeof(struct profile_counts), sizeof(*p.kernels), &p.n_kernels,
			       &failed);
	for (size_t i = 0; i < p.n_kernels; i++)
		read_kernel(&r, &p.kernels[i]);
	p.lines = read_array(&r, sizeof(struct profile_counts), sizeof(*p.lines), &p.n_lines,
			     &failed);
	for (size_t i = 0; i < p.n_lines; i++)
		read_line(&r, (uint32_t)p.n_kernels, &p.lines[i]);
	p.spans = read_array(&r, 36, sizeof(*p.spans), &p.n_spans, &failed);
	for (size_t i = 0; i < p.n_spans; i++)
		read_span(&r, &p.spans[i]);
	p.spans_left_out = record_u64(&r);
	if (failed)
		error_set(err, ERROR_MEMORY, "out of memory for a profile");
	if (failed || record_check(&r, "a profile", err)) {
		launch_profile_release(&p);
		return -1;
	}
	*ret = p;
	return 0;
}

void launch_profile_release(struct launch_profile *p)
{
	free(p->kernels);
	free(p->lines);
	free(p->spans);
	*p = (struct launch_profile){ 0 };
}
