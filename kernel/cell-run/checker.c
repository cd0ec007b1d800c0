/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A memfd for each chunk, filled by the worker that has the GPU, piece by piece as when a session
 * is parked; what is zero is not written. The emulated device maps these files as memory that
 * another process has made, so nothing is copied twice.
 */
#define _GNU_SOURCE
#include "kernel/cell-run/checker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/record.h"
#include "common/cuda/emulator-extension.h"
#include "common/memory/address-map.h"
#include "common/protocol/ipc.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/device/eviction.h"
#include "kernel/faults/fault-report.h"
#include "kernel/sandbox/machine-memory.h"
#include "kernel/settings/size-text.h"
#include "kernel/state/device-memory.h"
#include "kernel/workers/worker-pool.h"
#include "kernel/workers/worker.h"

#define PIECE (16 * MIB)
#define NOT_RUN "The cell was not run, and the session is as it was."
#define WORKER_LOST "the worker was lost while device memory was copied for the check"

static bool has_gpu(const struct supervisor *s, const struct worker *w)
{
	return !w->hello.emulated && w->hello.n_devices && !s->device.out_of_reach;
}

void checker_end(struct supervisor *s)
{
	struct checker *c = s->checker;

	for (size_t i = 0; i < c->n; i++)
		if (c->chunks[i].file >= 0)
			close(c->chunks[i].file);
	free(c->chunks);
	/* Failures of checkers say nothing about the ordinary workers that follow. */
	if (c->phase == CHECKER_MOVED)
		s->pool->failures = 0;
	buffer_release(&c->lost);
	*c = (struct checker){ 0 };
}

/* ---- copying ---- */

static int add_chunk(struct checker *c, const struct device_chunk *from, struct error *err)
{
	struct checker_chunk *to = &c->chunks[c->n++];
	char name[32];

	*to = (struct checker_chunk){ .id = from->id,
				      .size = from->size,
				      .address = from->address };
	snprintf(name, sizeof(name), EMULATOR_MEMORY_NAME "%u", CHUNK_DEVICE(from->id));
	to->file = memfd_create(name, MFD_CLOEXEC);
	if (to->file < 0 || ftruncate(to->file, (off_t)to->size))
		return error_errno(err, "no memory for a copy of device memory");
	return 0;
}

static int add_chunks(struct supervisor *s, struct error *err)
{
	struct checker *c = s->checker;

	c->chunks = calloc(s->device.chunks.n + 1, sizeof(*c->chunks));
	if (!c->chunks)
		return error_set(err, ERROR_MEMORY, "out of memory for a table of device memory");
	for (size_t i = 0; i < s->device.chunks.n; i++)
		if (s->device.chunks.at[i].address && add_chunk(c, &s->device.chunks.at[i], err))
			return -1;
	return 0;
}

/* Enters MOVED: the next checker gets the session. */
static void move(struct supervisor *s)
{
	s->checker->phase = CHECKER_MOVED;
	worker_pool_retire(s);
}

static int send_piece(struct supervisor *s, struct error *err)
{
	struct checker_chunk *c = &s->checker->chunks[s->checker->at];
	cleanup_buffer struct buffer b = BUFFER_INIT;
	uint64_t left = c->size - c->copied;

	if (!c->copied &&
	    worker_send(s->pool->active, WORKER_EVICTION_FILE, NULL, 0, &c->file, err))
		return -1;
	/* A new number: answers to a parking that was given up may still come. */
	s->checker->number = ++s->eviction->number;
	record_put_u32(&b, s->checker->number);
	record_put_u64(&b, c->id);
	record_put_u64(&b, c->size);
	record_put_u64(&b, c->address);
	record_put_u64(&b, c->copied);
	record_put_u64(&b, left < PIECE ? left : PIECE);
	record_put_u64(&b, c->copied);
	return buffer_check(&b, err)
		       ? -1
		       : worker_send(s->pool->active, WORKER_EVICT, b.data, b.len, NULL, err);
}

static void refuse(struct supervisor *s, const char *why)
{
	s->hooks->refuse(s, "InternalError", why, NOT_RUN);
}

static void go_on(struct supervisor *s)
{
	struct error err = ERROR_INIT;

	if (s->run.interrupted)
		s->hooks->refuse(
			s, "Interrupted",
			"interrupted while device memory was copied for the check; nothing was run",
			"");
	else if (s->checker->at == s->checker->n)
		move(s);
	else if (send_piece(s, &err))
		refuse(s, err.code == ERROR_PEER_GONE ? WORKER_LOST : err.text);
}

void checker_on_message(struct supervisor *s, const struct ipc_message *m)
{
	struct checker *c = s->checker;
	struct record r = record_open(m->data, m->len);
	uint32_t number = record_u32(&r);
	bool ok = record_u8(&r) != 0;
	const char *why = record_str(&r);
	struct checker_chunk *chunk;
	uint64_t left;

	if (c->phase != CHECKER_COPYING || c->at == c->n || r.failed || number != c->number)
		return;
	if (!ok) {
		refuse(s, why);
		return;
	}
	chunk = &c->chunks[c->at];
	left = chunk->size - chunk->copied;
	chunk->copied += left < PIECE ? left : PIECE;
	c->at += chunk->copied == chunk->size;
	go_on(s);
}

void checker_on_worker_lost(struct supervisor *s)
{
	if (s->checker->phase == CHECKER_COPYING)
		refuse(s, WORKER_LOST);
}

static bool fits(const struct supervisor *s, struct buffer *why)
{
	uint64_t bytes = 0, available = machine_memory_available() / 4 * 3;
	char size[SIZE_TEXT_MAX], have[SIZE_TEXT_MAX];

	for (size_t i = 0; i < s->device.chunks.n; i++)
		bytes += s->device.chunks.at[i].size;
	if (bytes > available)
		buffer_printf(why,
			      "a check of device code needs a copy of the session's device memory "
			      "on the host: that is %s, and there is room for %s",
			      size_text(bytes, size), size_text(available, have));
	return bytes <= available;
}

static void begin(struct supervisor *s)
{
	const struct worker_hello *h = &s->pool->active->hello;
	struct checker *c = s->checker;
	struct error err = ERROR_INIT;

	snprintf(c->name, sizeof(c->name), "%s", h->device);
	c->device = (struct worker_device){ .driver = DRIVER_CHECKS,
					    .count = h->n_devices,
					    .memory = h->most_memory,
					    .has_hmm = h->traits & DEVICE_HMM };
	worker_pool_describe_losses(s, &c->lost);
	c->phase = CHECKER_COPYING;
	if (add_chunks(s, &err))
		refuse(s, err.text);
	else
		go_on(s);
}

bool checker_before_run(struct supervisor *s)
{
	cleanup_buffer struct buffer why = BUFFER_INIT;
	const struct worker *w = s->pool->active;

	if ((!s->memcheck.on && !s->run.options.device_checks) || w->checks ||
	    (s->checker->phase == CHECKER_NONE && !has_gpu(s, w)))
		return true;
	if (s->checker->phase != CHECKER_NONE)
		return false;
	if (fits(s, &why)) {
		begin(s);
		return false;
	}
	if (!s->memcheck.on) {
		s->hooks->refuse(s, "OutOfMemory", buffer_text(&why),
				 NOT_RUN
				 " cudaFree() what it does not need, or check a smaller problem.");
		return false;
	}
	buffer_printf(&s->run.warnings, "Only the host's side was checked: %s.\n",
		      buffer_text(&why));
	return true;
}

/* ---- the checker ---- */

bool checker_is_wanted(const struct supervisor *s, struct worker_device *ret)
{
	if (s->checker->phase != CHECKER_MOVED || s->run.phase != RUN_WAITING ||
	    (s->pool->active && s->pool->active->checks))
		return false;
	*ret = s->checker->device;
	return true;
}

int checker_send_chunks(const struct supervisor *s, struct worker *w, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	for (size_t i = 0; i < s->checker->n; i++) {
		const struct checker_chunk *c = &s->checker->chunks[i];

		buffer_clear(&b);
		device_chunk_encode(&(struct device_chunk){ .id = c->id,
							    .size = c->size,
							    .address = c->address },
				    &b);
		if (buffer_check(&b, err) ||
		    worker_send(w, WORKER_CHUNK, b.data, b.len, &c->file, err))
			return -1;
	}
	return 0;
}

/* ---- reports ---- */

static void put_where(const struct checker *c, struct buffer *out)
{
	buffer_printf(out, "with the variables and the device memory that the session has on %s",
		      c->name);
}

static void put_lost(const struct checker *c, const char *before, struct buffer *out)
{
	if (c->lost.len)
		buffer_printf(out, "%sNot there in this run, since it belongs to a process: %s.",
			      before, buffer_text(&c->lost));
}

void checker_add(const struct supervisor *s, struct fault_report *r)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	buffer_puts(&text, "The cell ran on the emulated device, ");
	put_where(s->checker, &text);
	buffer_puts(&text, ". Nothing of this run is kept.");
	put_lost(s->checker, "\n", &text);
	fault_report_add(r, buffer_text(&text));
}

void checker_put_clean(const struct supervisor *s, struct buffer *out)
{
	const struct checker *c = s->checker;

	buffer_puts(out, "No launch faulted on the emulated device, where the cell ran ");
	put_where(c, out);
	buffer_printf(out, ".%s\n", s->memcheck.on ? "" : " Nothing of this run is kept.");
	buffer_printf(out,
		      "What faults on %s alone depends on the order of its threads%s or on its "
		      "properties, or is in code of a library.\n",
		      c->name, s->run.options.device_checks ? "" : " (%%racecheck looks for that)");
	put_lost(c, "", out);
	if (c->lost.len)
		buffer_puts(out, "\n");
}
