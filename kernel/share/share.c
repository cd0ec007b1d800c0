/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each request is one transaction: lock, read all slots, decide, write the own one, unlock. Nothing
 * about the others is remembered between two requests, so kernels that have died meanwhile are in
 * no sum.
 */
#include "kernel/share/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/settings/size-text.h"

struct visit {
	struct share_slot slots[SHARE_SLOTS];
	unsigned n;
};

/* The sums over the others' rows of one device. */
struct others {
	uint64_t held;
	uint64_t given;   /* part of `held` that idle kernels give on demand */
	uint64_t ahead;   /* bytes that kernels earlier in the queue wait for */
	uint64_t tickets; /* the newest ticket */
	unsigned holders, waiting_holders;
};

static const uint8_t no_device[SHARE_UUID_SIZE];

/* Finds the row of the device in a slot; NULL: there is none, or the slot is empty. */
static const struct share_row *find_row(const struct share_slot *slot, const uint8_t *device)
{
	for (int i = 0; i < SHARE_DEVICES && slot->name[0]; i++)
		if (!memcmp(slot->rows[i].device, device, SHARE_UUID_SIZE))
			return &slot->rows[i];
	return NULL;
}

/* Finds the device's row in the own slot, or takes an empty one. NULL: there is none. */
static struct share_row *own_row(struct share_slot *slot, const uint8_t *device)
{
	struct share_row *r = (struct share_row *)find_row(slot, device);

	if (!r)
		r = (struct share_row *)find_row(slot, no_device);
	if (r)
		memcpy(r->device, device, SHARE_UUID_SIZE);
	return r;
}

/* Finds the row of another kernel. */
static const struct share_row *other_row(const struct share *s, const struct visit *v, unsigned i,
					 const uint8_t *device)
{
	return i == s->file.slot ? NULL : find_row(&v->slots[i], device);
}

/* Locks and reads the list. NULL: err says why not. */
static struct visit *begin_visit(struct share *s, struct error *err)
{
	struct visit *v = calloc(1, sizeof(*v));

	if (!v) {
		error_set(err, ERROR_MEMORY, "the list of notebooks on this machine's GPUs");
		return NULL;
	}
	if (share_file_lock(&s->file, &s->own, err)) {
		free(v);
		return NULL;
	}
	if (!share_file_read(&s->file, v->slots, &v->n, err))
		return v;
	share_file_unlock(&s->file);
	free(v);
	return NULL;
}

static void end_visit(struct share *s, struct visit *v)
{
	share_file_unlock(&s->file);
	free(v);
}

/* Writes the own slot, or restores it from the file on an error. An unchanged slot is not written,
 * since others look again at each write. */
static int write_own(struct share *s, const struct visit *v, struct error *err)
{
	if (!memcmp(&s->own, &v->slots[s->file.slot], sizeof(s->own)) ||
	    !share_file_write(&s->file, &s->own, err))
		return 0;
	s->own = v->slots[s->file.slot];
	return -1;
}

/* Adds and saturates, since numbers of others may be anything. */
static uint64_t plus(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static struct others sum_others(const struct share *s, const struct visit *v, const uint8_t *device,
				uint64_t ticket)
{
	struct others o = { 0 };

	for (unsigned i = 0; i < v->n; i++) {
		const struct share_row *r = other_row(s, v, i, device);

		if (!r)
			continue;
		o.held = plus(o.held, r->held);
		if (v->slots[i].gives)
			o.given = plus(o.given, r->held);
		o.holders += r->held > 0;
		o.waiting_holders += r->held > 0 && r->wanted > 0;
		if (r->wanted && (!ticket || r->ticket < ticket))
			o.ahead = plus(o.ahead, r->wanted);
		if (r->ticket > o.tickets)
			o.tickets = r->ticket;
	}
	return o;
}

int share_open(struct share *s, const char *path, const char *name, struct error *err)
{
	memset(s, 0, sizeof(*s));
	s->own.pid = getpid();
	s->own.idle_since = (uint64_t)time(NULL);
	snprintf(s->own.name, sizeof(s->own.name), "%s",
		 *name ? name : "a notebook without a name");
	return share_file_open(&s->file, path, &s->own, err);
}

void share_close(struct share *s)
{
	share_file_close(&s->file);
}

/* Tells whether the request fits beside what is taken. */
static bool fits(const struct share_request *r, uint64_t taken)
{
	return taken <= r->total && r->bytes <= r->total - taken;
}

static void decide(struct share_row *own, const struct others *o, const struct share_request *r,
		   enum share_answer *ret)
{
	uint64_t taken = plus(own->held, plus(o->held, o->ahead));
	bool waits = r->waits || (r->returns && fits(r, taken - o->given));

	if (fits(r, taken)) {
		own->held += r->bytes;
		own->wanted = own->ticket = 0;
		*ret = SHARE_GRANTED;
	} else if (!waits || own->held + r->bytes > r->total) {
		own->wanted = own->ticket = 0;
		*ret = SHARE_FULL;
	} else if (own->held && o->holders && o->holders == o->waiting_holders) {
		own->wanted = own->ticket = 0;
		*ret = SHARE_DEADLOCK;
	} else {
		own->wanted = r->bytes;
		if (!own->ticket)
			own->ticket = o->tickets + 1;
		*ret = SHARE_QUEUED;
	}
}

int share_ask(struct share *s, const struct share_request *r, enum share_answer *ret,
	      struct error *err)
{
	struct share_row *own = own_row(&s->own, r->device);
	struct visit *v = begin_visit(s, err);
	struct others o;
	int failed;

	if (!v)
		return -1;
	if (own) {
		o = sum_others(s, v, r->device, own->ticket);
		decide(own, &o, r, ret);
		failed = write_own(s, v, err);
	} else {
		failed =
			error_set(err, ERROR_LIMIT,
				  "a session can hold memory of %d devices at most", SHARE_DEVICES);
	}
	end_visit(s, v);
	return failed;
}

/* Changes the own slot without regard to others, under the lock, so that sums see the old slot or
 * the new one. */
static int change(struct share *s, const struct share_slot *to, struct error *err)
{
	int failed;

	if (!memcmp(to, &s->own, sizeof(*to)))
		return 0;
	if (share_file_lock(&s->file, &s->own, err))
		return -1;
	failed = share_file_write(&s->file, to, err);
	share_file_unlock(&s->file);
	if (!failed)
		s->own = *to;
	return failed;
}

int share_leave_queue(struct share *s, struct error *err)
{
	struct share_slot to = s->own;

	for (int i = 0; i < SHARE_DEVICES; i++)
		to.rows[i].wanted = to.rows[i].ticket = 0;
	return change(s, &to, err);
}

int share_hold(struct share *s, const uint8_t *device, uint64_t bytes, struct error *err)
{
	struct share_slot to = s->own;
	struct share_row *r = own_row(&to, device);

	if (!r)
		return error_set(err, ERROR_LIMIT,
				 "a session can hold memory of %d devices at most", SHARE_DEVICES);
	r->held = bytes;
	return change(s, &to, err);
}

int share_park(struct share *s, const uint8_t *device, uint64_t bytes, struct error *err)
{
	struct share_slot to = s->own;
	struct share_row *r = own_row(&to, device);

	if (!r)
		return error_set(err, ERROR_LIMIT,
				 "a session can hold memory of %d devices at most", SHARE_DEVICES);
	r->parked = bytes;
	return change(s, &to, err);
}

int share_note_idle(struct share *s, bool idle, bool gives, struct error *err)
{
	struct share_slot to = s->own;

	to.gives = gives;

	if (!idle)
		to.idle_since = 0;
	else if (!to.idle_since)
		to.idle_since = (uint64_t)time(NULL);
	return change(s, &to, err);
}

int share_wanted(struct share *s, const uint8_t *device, uint64_t *ret_bytes, struct error *err)
{
	struct visit *v = begin_visit(s, err);
	uint64_t first = UINT64_MAX;

	if (!v)
		return -1;
	*ret_bytes = 0;
	for (unsigned i = 0; i < v->n; i++) {
		const struct share_row *r = other_row(s, v, i, device);

		if (r && r->wanted && r->ticket < first) {
			first = r->ticket;
			*ret_bytes = r->wanted;
		}
	}
	end_visit(s, v);
	return 0;
}

bool share_holds(const struct share *s)
{
	for (int i = 0; i < SHARE_DEVICES; i++)
		if (s->own.rows[i].held)
			return true;
	return false;
}

struct line {
	const struct share_slot *slot;
	const struct share_row *row;
	bool own;
};

static int by_size(const void *a, const void *b)
{
	const struct share_row *x = ((const struct line *)a)->row,
			       *y = ((const struct line *)b)->row;

	return (x->held < y->held) - (x->held > y->held);
}

/* Returns the bytes of the printable UTF-8 character here; 0: it is none. */
static size_t character(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 1;

	if (n == 1)
		return p[0] >= ' ' && p[0] < 0x7f;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* Refuse overlong forms, control codes, surrogates, and codes beyond the last. */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xc2 && p[1] < 0xa0) ||
	    (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
	    (p[0] == 0xf4 && p[1] > 0x8f) || p[0] > 0xf4)
		return 0;
	return n;
}

/* Appends a name that another process has written: it must be text, and stay on one line of the
 * table. */
static void put_name(const char *name, struct buffer *out)
{
	while (*name) {
		size_t n = character(name);

		buffer_append(out, n ? name : "?", n ? n : 1);
		name += n ? n : 1;
	}
}

static void put_line(const struct line *l, uint64_t now, struct buffer *out)
{
	char size[SIZE_TEXT_MAX];

	buffer_printf(out, "  %9s  ", size_text(l->row->held, size));
	put_name(l->slot->name, out);
	if (l->own)
		buffer_puts(out, " (this one)");
	else
		buffer_printf(out, ", process %lld", (long long)l->slot->pid);
	if (l->row->parked)
		buffer_printf(out, ", has parked %s", size_text(l->row->parked, size));
	if (l->row->wanted)
		buffer_printf(out, ", waits for %s more", size_text(l->row->wanted, size));
	else if (l->slot->idle_since && now > l->slot->idle_since + 60)
		buffer_printf(out, ", idle for %llu min",
			      (unsigned long long)(now - l->slot->idle_since) / 60);
	else if (!l->slot->idle_since)
		buffer_puts(out, ", at work");
	buffer_puts(out, "\n");
}

static void put_table(const struct share *s, const struct visit *v, const uint8_t *device,
		      struct buffer *out, unsigned *ret_others)
{
	struct line lines[SHARE_SLOTS];
	unsigned n = 0, others = 0;

	for (unsigned i = 0; i < v->n; i++) {
		const struct share_row *r = find_row(&v->slots[i], device);

		if (!r || (!r->held && !r->wanted && !r->parked))
			continue;
		others += i != s->file.slot;
		lines[n++] = (struct line){ &v->slots[i], r, i == s->file.slot };
	}
	qsort(lines, n, sizeof(*lines), by_size);
	for (unsigned i = 0; i < n; i++)
		put_line(&lines[i], (uint64_t)time(NULL), out);
	if (ret_others)
		*ret_others = others;
}

int share_table(struct share *s, const uint8_t *device, struct buffer *out, unsigned *ret_others,
		struct error *err)
{
	struct visit *v = begin_visit(s, err);

	if (!v)
		return -1;
	put_table(s, v, device, out, ret_others);
	end_visit(s, v);
	return 0;
}

/* Reads the list without the lock, for the caller to free. NULL: err says why not. */
static struct visit *look_around(struct share *s, struct error *err)
{
	struct visit *v = calloc(1, sizeof(*v));

	if (!v)
		error_set(err, ERROR_MEMORY, "the list of notebooks on this machine's GPUs");
	if (v && share_file_read(&s->file, v->slots, &v->n, err)) {
		free(v);
		return NULL;
	}
	if (v)
		v->slots[s->file.slot] = s->own;
	return v;
}

int share_glance(struct share *s, const uint8_t *device, struct buffer *out, unsigned *ret_others,
		 struct error *err)
{
	struct visit *v = look_around(s, err);

	if (!v)
		return -1;
	put_table(s, v, device, out, ret_others);
	free(v);
	return 0;
}

int share_held_by_others(struct share *s, const uint8_t *device, uint64_t *ret_bytes,
			 struct error *err)
{
	struct visit *v = look_around(s, err);

	if (!v)
		return -1;
	*ret_bytes = sum_others(s, v, device, 0).held;
	free(v);
	return 0;
}
