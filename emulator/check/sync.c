/* SPDX-License-Identifier: Apache-2.0 */
/* Each place of the code is told once, by the first thread that was found there. */
#include "emulator/check/sync.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "emulator/check/place.h"
#include "emulator/ptx/ptx-ops.h"
#include "emulator/ptx/ptx-syntax.h"
#include "emulator/warp/exec.h"

#define FINDINGS 32

enum finding_kind { DIVERGENT_WARP, DIVERGENT_BLOCK, MASK_WITHOUT_CALLER, INACTIVE_SOURCE };

struct finding {
	enum finding_kind kind;
	struct place place;
	struct place other; /* of a barrier: where others wait */
	uint32_t mask;      /* of an operation between lanes */
	uint32_t source;    /* INACTIVE_SOURCE: the lane */
};

struct sync {
	struct observer observer;
	bool warnings;
	_Atomic(const struct machine_launch *)
		launch; /* that is checked; those that its device code makes are not */
	pthread_mutex_t lock;
	struct finding findings[FINDINGS];
	_Atomic uint32_t count;
};

static struct sync *sync_of(struct observer *x)
{
	return OBSERVER_OF(x, struct sync, observer);
}

static void note(struct sync *s, const struct finding *f)
{
	uint32_t i = 0;

	pthread_mutex_lock(&s->lock);
	while (i < s->count &&
	       (s->findings[i].kind != f->kind || s->findings[i].place.op != f->place.op))
		i++;
	if (i == s->count && i < FINDINGS) {
		s->findings[i] = *f;
		s->count++;
	}
	pthread_mutex_unlock(&s->lock);
}

/* bar.sync promises that all threads of the warp take it together; barrier.sync does not. */
static bool is_aligned(const struct frame *f, const struct op *o)
{
	const struct ptx_body *b = f->program->function->body;
	const struct ptx_instruction *in =
		o->source < b->instruction_count ? &b->instructions[o->source] : NULL;
	char form[48];

	if (!in || o->flags & BARRIER_CLUSTER)
		return false;
	snprintf(form, sizeof(form), "%.*s", (int)in->form_len, in->text);
	return !strncmp(form, "bar.", 4) || strstr(form, ".aligned");
}

static uint32_t shuffle_source(const struct warp *w, const struct op *o, uint32_t lane)
{
	uint32_t b = ROW(w, uint32_t, o->b)[lane] & 31, c = ROW(w, uint32_t, o->c)[lane],
		 segment = c >> 8 & 31;
	uint32_t low = lane & segment, high = low | (c & 31 & ~segment), from;

	switch (o->flags & WARP_MODE) {
	case SHFL_UP:
		return (int)(lane - b) >= (int)high ? lane - b : lane;
	case SHFL_DOWN:
		from = lane + b;
		break;
	case SHFL_BFLY:
		from = lane ^ b;
		break;
	default:
		from = low | (b & ~segment);
		break;
	}
	return from <= high ? from : lane;
}

static void check_lanes(struct sync *s, struct warp *w, const struct op *o)
{
	const uint32_t *named = ROW(w, uint32_t, o->x[1]);

	FOR_ACTIVE (l, w->mask) {
		struct finding f = { MASK_WITHOUT_CALLER, place_of(w, w->frame, o, (int)l),
				     .mask = named[l] };

		if (!(named[l] >> l & 1)) {
			note(s, &f);
			continue;
		}
		if (!s->warnings || o->id != OP_shfl)
			continue;
		f.source = shuffle_source(w, o, l);
		f.kind = INACTIVE_SOURCE;
		if (!(named[l] & w->live & 1u << f.source))
			note(s, &f);
	}
}

static void on_begin(struct observer *x, struct block *c)
{
	const struct machine_launch *none = NULL;

	atomic_compare_exchange_strong(&sync_of(x)->launch, &none,
				       c->warps[0].worker->launch->spec);
}

static bool is_own(const struct sync *s, const struct machine_worker *k)
{
	return atomic_load_explicit(&s->launch, memory_order_relaxed) == k->launch->spec;
}

static void on_sync(struct observer *x, struct warp *w, const struct op *o)
{
	bool joint = o->id != OP_barrier && o->id != OP_fence && o->id != OP_mbarrier;

	if (joint && !(o->flags & WARP_NO_MASK) && is_own(sync_of(x), w->worker))
		check_lanes(sync_of(x), w, o);
}

struct waiting {
	const struct warp *w;
	const struct parked *p;
};

static struct place waiting_place(const struct waiting *x)
{
	return place_of(x->w, x->p->fragment.frame, x->p->fragment.pc,
			first_lane(x->p->fragment.mask));
}

/* Two that wait at one barrier by its number: is it the same one in the text? */
static void compare_waiting(struct sync *s, const struct waiting *a, const struct waiting *b)
{
	if (a->p->fragment.pc != b->p->fragment.pc)
		note(s, &(struct finding){ .kind = a->w == b->w ? DIVERGENT_WARP : DIVERGENT_BLOCK,
					   .place = waiting_place(a),
					   .other = waiting_place(b) });
}

/*
 * All threads that have not ended are there. Who has ended, or will without coming, is of no
 * interest. Barriers with a count of threads may have several places by right.
 */
static void on_barrier(struct observer *x, struct block *c, uint32_t id)
{
	struct waiting first = { NULL, NULL }, of_warp;

	if (c->barriers[id].expected || !is_own(sync_of(x), c->warps[0].worker))
		return;
	for (uint32_t i = 0; i < c->warp_count; i++) {
		of_warp.p = NULL;
		for (uint32_t k = 0; k < c->warps[i].parked_count; k++) {
			struct waiting now = { &c->warps[i], &c->warps[i].parked[k] };

			if (now.p->kind != PARKED_BARRIER || now.p->barrier != id ||
			    !is_aligned(now.p->fragment.frame, now.p->fragment.pc))
				continue;
			if (of_warp.p)
				compare_waiting(sync_of(x), &of_warp, &now);
			else if (first.p)
				compare_waiting(sync_of(x), &first, &now);
			of_warp = now;
			first = first.p ? first : now;
		}
	}
}

static const struct observer_class sync_class = {
	.name = "sync", .sync = on_sync, .barrier = on_barrier, .block_begin = on_begin
};

struct sync *sync_new(bool warnings, uint64_t budget)
{
	struct sync *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->observer.class = &sync_class;
	s->observer.budget = budget;
	s->warnings = warnings;
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

void sync_free(struct sync *s)
{
	if (!s)
		return;
	pthread_mutex_destroy(&s->lock);
	free(s);
}

struct observer *sync_observer(struct sync *s)
{
	return &s->observer;
}

static void print(const struct finding *f, const struct machine_launch *l, struct buffer *out)
{
	static const char *const headlines[] = {
		[DIVERGENT_WARP] = "Barrier error detected. Divergent thread(s) in warp.",
		[DIVERGENT_BLOCK] = "Barrier error detected. Divergent thread(s) in block.",
		[MASK_WITHOUT_CALLER] = "Barrier error detected. Invalid arguments.",
		[INACTIVE_SOURCE] = "Warning: Shuffle from a thread that does not take part.",
	};

	buffer_printf(out, "========= %s\n", headlines[f->kind]);
	place_print(&f->place, PLACE_INDENT, "at ", 0, out);
	place_print_thread(&f->place, l, out);
	switch (f->kind) {
	case DIVERGENT_WARP:
	case DIVERGENT_BLOCK:
		place_print(&f->other, PLACE_INDENT, "and at ", 0, out);
		place_print_thread(&f->other, l, out);
		buffer_puts(out, "=========     All threads of a block must come to the same "
				 "__syncthreads()\n");
		break;
	case MASK_WITHOUT_CALLER:
		buffer_printf(
			out,
			"=========     The mask 0x%08x does not name lane %u, which executes it\n",
			f->mask, f->place.thread % LANES);
		break;
	case INACTIVE_SOURCE:
		buffer_printf(out,
			      "=========     The value of lane %u is undefined: it is not in the "
			      "mask 0x%08x, or has ended\n",
			      f->source, f->mask);
		break;
	}
}

uint32_t sync_report(struct sync *s, const struct machine_launch *l,
		     bool (*fresh)(void *data, const char *key), void *data, struct buffer *out)
{
	uint32_t told = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		cleanup_buffer struct buffer key = BUFFER_INIT;

		buffer_printf(&key, "sync %u %s", s->findings[i].kind, l->kernel->name);
		place_print_key(&s->findings[i].place, &key);
		if (fresh && !fresh(data, buffer_text(&key)))
			continue;
		print(&s->findings[i], l, out);
		told++;
	}
	return told;
}
