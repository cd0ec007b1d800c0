/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chunk that the running cell has dropped stays in the table, marked, until the commit, since a
 * rollback needs it. After the commit its descriptor moves to the undo, and so do the chunks with
 * pre-images: nobody writes them again. When that undo is not kept, since it is too large, the next
 * cell is likely to need as much: making device memory takes longer than the copy that goes there.
 * So these chunks wait for it, unless the worker ends or gives them back.
 */
#include "kernel/state/device-memory.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "kernel/base/closer.h"

/* What the kernel process keeps for its sockets and files. */
#define RESERVED_DESCRIPTORS 256
/* Of pre-images and checksums, which only take memory of the kernel process. */
#define ROWS_MAX (1 << 20)

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_MEMORY, "out of memory for the table of device memory");
}

static int too_many(const char *what, struct error *err)
{
	return error_set(err, ERROR_LIMIT, "one cell has made more than %d %s of device memory",
			 ROWS_MAX, what);
}

static int chunks_add(struct device_chunks *c, const struct device_chunk *chunk, struct error *err)
{
	if (!ARRAY_ROOM(c->at, c->n, &c->cap))
		return no_memory(err);
	c->at[c->n++] = *chunk;
	return 0;
}

void device_chunk_park(struct device_chunk *c, uint64_t place)
{
	closer_close(c->fd);
	c->fd = -1;
	c->parked = true;
	c->place = place;
}

static void chunks_release(struct device_chunks *c)
{
	for (size_t i = 0; i < c->n; i++)
		closer_close(c->at[i].fd);
	free(c->at);
	*c = (struct device_chunks){ 0 };
}

static struct device_chunk *chunks_find(const struct device_chunks *c, uint64_t id)
{
	for (size_t i = c->n; i-- > 0;)
		if (c->at[i].id == id)
			return &c->at[i];
	return NULL;
}

/* Removes a chunk by moving the last one into its place, since the order has no meaning. */
static void chunks_remove(struct device_chunks *c, struct device_chunk *chunk)
{
	closer_close(chunk->fd);
	*chunk = c->at[--c->n];
}

static void preimages_release(struct device_preimages *p)
{
	free(p->at);
	*p = (struct device_preimages){ 0 };
}

static void checksums_release(struct device_checksums *c)
{
	free(c->at);
	*c = (struct device_checksums){ 0 };
}

static bool preimages_use(const struct device_preimages *p, uint64_t chunk)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->at[i].chunk == chunk)
			return true;
	return false;
}

void device_undo_release(struct device_undo *u)
{
	preimages_release(&u->preimages);
	checksums_release(&u->checksums);
	chunks_release(&u->dropped);
	chunks_release(&u->before);
	u->valid = false;
}

uint64_t device_undo_bytes(const struct device_undo *u)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < u->dropped.n; i++)
		bytes += u->dropped.at[i].size;
	return bytes;
}

void device_memory_release(struct device_memory *d)
{
	chunks_release(&d->chunks);
	chunks_release(&d->waiting);
	preimages_release(&d->preimages);
	preimages_release(&d->kept);
	checksums_release(&d->checksums);
	d->keeping = KEEPING_NO;
}

void device_memory_reset(struct device_memory *d)
{
	device_memory_release(d);
}

/* Descriptors get the lowest number that is free, so the number of a new one says how many are
 * open. */
static int leaves_descriptors(int fd, struct error *err)
{
	struct rlimit most;

	if (getrlimit(RLIMIT_NOFILE, &most) || (rlim_t)fd + RESERVED_DESCRIPTORS < most.rlim_cur)
		return 0;
	return error_set(err, ERROR_LIMIT,
			 "device memory is in so many pieces, each an open file of the kernel "
			 "process, that of the %llu files this machine allows only %d are left",
			 (unsigned long long)most.rlim_cur, RESERVED_DESCRIPTORS);
}

int device_memory_chunk(struct device_memory *d, uint64_t id, uint64_t size, uint64_t address,
			int fd, struct error *err)
{
	struct device_chunk *known = chunks_find(&d->chunks, id);
	struct device_chunk chunk = {
		.id = id, .size = size, .address = address, .fd = fd, .fresh = true
	};

	if (known) {
		/* The memory of the known chunk was lost or parked; this descriptor replaces it. */
		if (fd >= 0) {
			closer_close(known->fd);
			known->fd = fd;
		}
		known->address = address;
		known->dropped = false;
		return 0;
	}
	if (fd < 0)
		return error_set(err, ERROR_PROTOCOL,
				 "device memory chunk %llu came without its descriptor",
				 (unsigned long long)id);
	if (leaves_descriptors(fd, err) || chunks_add(&d->chunks, &chunk, err)) {
		closer_close(fd);
		return -1;
	}
	return 0;
}

/* Moves a chunk that waits to the chunks of the running cell, as if the cell had made it. */
static int take_waiting(struct device_memory *d, uint64_t id, struct error *err)
{
	struct device_chunk *waiting = chunks_find(&d->waiting, id);

	if (!waiting)
		return 0;
	waiting->fresh = true;
	if (chunks_add(&d->chunks, waiting, err))
		return -1;
	waiting->fd = -1;
	chunks_remove(&d->waiting, waiting);
	return 0;
}

int device_memory_preimage(struct device_memory *d, const struct device_preimage *p,
			   struct error *err)
{
	struct device_preimages *to = d->keeping == KEEPING_BEGUN ? &d->kept : &d->preimages;
	const struct device_chunk *chunk;

	if (take_waiting(d, p->chunk, err))
		return -1;
	chunk = chunks_find(&d->chunks, p->chunk);
	if (!chunk || p->offset > chunk->size || p->size > chunk->size - p->offset)
		return error_set(err, ERROR_PROTOCOL,
				 "a pre-image lies in chunk %llu, which does not hold it",
				 (unsigned long long)p->chunk);
	if (to->n == ROWS_MAX)
		return too_many("pre-images", err);
	if (!ARRAY_ROOM(to->at, to->n, &to->cap))
		return no_memory(err);
	to->at[to->n++] = *p;
	return 0;
}

int device_memory_checksums(struct device_memory *d, struct record *r, struct error *err)
{
	uint32_t n = record_count(r, BUFFER_CHECKSUM_SIZE);

	for (uint32_t i = 0; i < n; i++) {
		struct device_checksums *all = &d->checksums;

		if (all->n == ROWS_MAX)
			return too_many("checksums", err);
		if (!ARRAY_ROOM(all->at, all->n, &all->cap))
			return no_memory(err);
		all->at[all->n++] = buffer_checksum_take(r);
	}
	return 0;
}

bool device_memory_waits(const struct device_memory *d, uint64_t id)
{
	return chunks_find(&d->waiting, id);
}

int device_memory_drop(struct device_memory *d, uint64_t id, struct error *err)
{
	struct device_chunk *chunk = chunks_find(&d->waiting, id);

	if (chunk) {
		chunks_remove(&d->waiting, chunk);
		return 0;
	}
	chunk = chunks_find(&d->chunks, id);
	if (!chunk)
		return error_set(err, ERROR_PROTOCOL, "unknown device memory chunk %llu dropped",
				 (unsigned long long)id);
	chunk->dropped = true;
	return 0;
}

/* Moves the chunk's descriptor to `to`. Without memory for that it is closed, and the undo is not
 * valid. */
static void give_chunk(struct device_chunk *c, struct device_undo *to)
{
	if (chunks_add(&to->dropped, c, NULL))
		to->valid = false;
	else
		c->fd = -1;
}

/* Notes for an undo which chunks there are, with this address of theirs. */
static int note_chunk(struct device_undo *to, const struct device_chunk *c, uint64_t address)
{
	struct device_chunk noted = { .id = c->id,
				      .size = c->size,
				      .address = address,
				      .committed_address = address,
				      .fd = -1 };

	return chunks_add(&to->before, &noted, NULL);
}

/* Notes the chunks as the previous commit left them. */
static int note_before(const struct device_memory *d, struct device_undo *undo)
{
	for (size_t i = 0; i < d->chunks.n; i++) {
		const struct device_chunk *c = &d->chunks.at[i];

		if (!c->fresh && note_chunk(undo, c, c->committed_address))
			return -1;
	}
	return 0;
}

/* Notes the chunks as a commit would leave them. */
static int note_after(const struct device_memory *d, struct device_undo *undo)
{
	for (size_t i = 0; i < d->chunks.n; i++) {
		const struct device_chunk *c = &d->chunks.at[i];

		if (!c->dropped && c->address && note_chunk(undo, c, c->address))
			return -1;
	}
	return 0;
}

void device_memory_commit(struct device_memory *d, struct device_undo *ret_undo)
{
	struct device_undo undo = { 0 };

	undo.valid = !note_before(d, &undo);
	/* The cell has not touched the memory, and pre-images of an earlier one may wait for their
	 * worker. */
	if (d->out_of_reach) {
		*ret_undo = undo;
		return;
	}
	for (size_t i = 0; i < d->chunks.n;) {
		struct device_chunk *c = &d->chunks.at[i];

		/* A chunk without an address holds pre-images, and only undo needs them after the
		 * commit. */
		if (!c->dropped && c->address) {
			c->fresh = false;
			c->committed_address = c->address;
			i++;
			continue;
		}
		/* A fresh chunk matters to undo only if a pre-image lies in it. */
		if (!c->fresh || preimages_use(&d->preimages, c->id))
			give_chunk(c, &undo);
		chunks_remove(&d->chunks, c);
	}
	undo.preimages = d->preimages;
	d->preimages = (struct device_preimages){ 0 };
	undo.checksums = d->checksums;
	d->checksums = (struct device_checksums){ 0 };
	*ret_undo = undo;
}

void device_memory_recycle(struct device_memory *d, struct device_undo *undo)
{
	for (size_t i = 0; i < undo->dropped.n; i++) {
		struct device_chunk *c = &undo->dropped.at[i];

		if (c->address || c->committed_address || c->fd < 0 ||
		    chunks_add(&d->waiting, c, NULL))
			continue;
		c->fd = -1;
	}
}

void device_memory_rollback(struct device_memory *d)
{
	chunks_release(&d->waiting);
	preimages_release(&d->kept);
	for (size_t i = 0; i < d->chunks.n;) {
		struct device_chunk *c = &d->chunks.at[i];

		c->dropped = false;
		c->address = c->fresh ? 0 : c->committed_address;
		if (c->fresh && !preimages_use(&d->preimages, c->id))
			chunks_remove(&d->chunks, c);
		else
			i++;
	}
}

void device_memory_restored(struct device_memory *d, struct device_undo *ret_kept)
{
	preimages_release(&d->preimages);
	checksums_release(&d->checksums);
	for (size_t i = 0; i < d->chunks.n;) {
		struct device_chunk *c = &d->chunks.at[i];

		if (!c->fresh) {
			i++;
			continue;
		}
		if (ret_kept && preimages_use(&d->kept, c->id))
			give_chunk(c, ret_kept);
		chunks_remove(&d->chunks, c);
	}
	d->keeping = KEEPING_NO;
	if (!ret_kept)
		preimages_release(&d->kept);
	else
		ret_kept->preimages = d->kept;
	d->kept = (struct device_preimages){ 0 };
}

/* Moves the chunks that a rollback would close to `to`. */
static void give_fresh(struct device_memory *d, struct device_undo *to)
{
	for (size_t i = 0; i < d->chunks.n;) {
		struct device_chunk *c = &d->chunks.at[i];

		if (!c->fresh || c->dropped || !c->address || preimages_use(&d->preimages, c->id)) {
			i++;
			continue;
		}
		give_chunk(c, to);
		chunks_remove(&d->chunks, c);
	}
}

void device_memory_set_aside(struct device_memory *d, struct device_undo *ret)
{
	*ret = (struct device_undo){ 0 };
	ret->valid = !note_after(d, ret);
	give_fresh(d, ret);
	device_memory_rollback(d);
	/* Pre-images of an earlier cell may wait for a worker with a device. */
	d->keeping = d->preimages.n && !d->out_of_reach ? KEEPING_ASKED : KEEPING_NO;
}

/* Finds the chunk that was mapped at the address. */
static const struct device_chunk *chunks_at(const struct device_chunks *c, uint64_t address)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].address && address - c->at[i].address < c->at[i].size)
			return &c->at[i];
	return NULL;
}

/* Tells whether the pre-image, taken when `then` was mapped, belongs to a chunk that is in
 * `before`, too. */
static bool is_wanted(const struct device_preimage *p, const struct device_chunks *then,
		      const struct device_chunks *before)
{
	const struct device_chunk *owner = chunks_at(then, p->address);
	const struct device_chunk *same = owner ? chunks_find(before, owner->id) : NULL;

	return same && same->address == owner->address;
}

int device_memory_undo_room(struct device_memory *d, struct device_undo *const *undo, size_t n,
			    struct error *err)
{
	size_t chunks = d->chunks.n, preimages = 0, checksums = 0;
	struct device_chunk *c;
	struct device_preimage *p;
	struct buffer_checksum *t;

	for (size_t i = 0; i < n; i++) {
		chunks += undo[i]->dropped.n;
		preimages += undo[i]->preimages.n;
		checksums += undo[i]->checksums.n;
	}
	c = realloc(d->chunks.at, (chunks + 1) * sizeof(*c));
	if (c)
		d->chunks.at = c;
	p = realloc(d->preimages.at, (preimages + 1) * sizeof(*p));
	if (p)
		d->preimages.at = p;
	t = realloc(d->checksums.at, (checksums + 1) * sizeof(*t));
	if (t)
		d->checksums.at = t;
	if (!c || !p || !t)
		return error_set(err, ERROR_MEMORY, "out of memory for the table of device memory");
	d->chunks.cap = chunks + 1;
	d->preimages.cap = preimages + 1;
	d->checksums.cap = checksums + 1;
	return 0;
}

/*
 * Applies one undo to the checksums: those of buffers that the cell has written are dropped,
 * since what younger cells found there does not describe the older state, and those that the cell
 * has made are added.
 */
static void take_checksums(struct device_checksums *c, const struct device_undo *undo)
{
	for (size_t i = 0; i < undo->preimages.n; i++)
		for (size_t k = 0; k < c->n;) {
			if (c->at[k].address == undo->preimages.at[i].address)
				c->at[k] = c->at[--c->n];
			else
				k++;
		}
	for (size_t i = 0; i < undo->checksums.n; i++)
		c->at[c->n++] = undo->checksums.at[i];
}

void device_memory_undo(struct device_memory *d, struct device_undo *const *undo, size_t n,
			struct device_undo *ret_inverse)
{
	const struct device_chunks *before = &undo[n - 1]->before;

	if (ret_inverse) {
		*ret_inverse = (struct device_undo){ 0 };
		ret_inverse->valid = !note_after(d, ret_inverse);
	}
	d->preimages.n = 0;
	d->checksums.n = 0;
	for (size_t i = 0; i < n; i++) {
		take_checksums(&d->checksums, undo[i]);
		for (size_t k = 0; k < undo[i]->dropped.n; k++) {
			d->chunks.at[d->chunks.n++] = undo[i]->dropped.at[k];
			undo[i]->dropped.at[k].fd = -1;
		}
		/* The older pre-image is copied later, over the younger one. */
		for (size_t k = 0; k < undo[i]->preimages.n; k++)
			if (is_wanted(&undo[i]->preimages.at[k], &undo[i]->before, before))
				d->preimages.at[d->preimages.n++] = undo[i]->preimages.at[k];
	}
	/* Each chunk that did not exist before counts as made by the cells that are taken back. */
	for (size_t i = 0; i < d->chunks.n; i++) {
		struct device_chunk *c = &d->chunks.at[i];
		const struct device_chunk *old = chunks_find(before, c->id);

		c->fresh = !old;
		c->committed_address = old ? old->address : 0;
	}
	if (ret_inverse)
		give_fresh(d, ret_inverse);
	device_memory_rollback(d);
	d->keeping = ret_inverse && d->preimages.n ? KEEPING_ASKED : KEEPING_NO;
}

void device_memory_encode_preimages(const struct device_memory *d, struct buffer *out)
{
	record_put_u32(out, (uint32_t)d->preimages.n);
	for (size_t i = 0; i < d->preimages.n; i++) {
		record_put_u64(out, d->preimages.at[i].address);
		record_put_u64(out, d->preimages.at[i].size);
		record_put_u64(out, d->preimages.at[i].chunk);
		record_put_u64(out, d->preimages.at[i].offset);
	}
}

static int compare_addresses(const void *a, const void *b)
{
	const struct device_preimage *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

void device_memory_encode_keeping(const struct device_memory *d, struct buffer *out)
{
	size_t n = d->keeping == KEEPING_BEGUN ? d->preimages.n : 0, distinct = 0;
	cleanup_free struct device_preimage *p = malloc((n + 1) * sizeof(*p));

	if (!p) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		p[i] = d->preimages.at[i];
	if (n)
		qsort(p, n, sizeof(*p), compare_addresses);
	for (size_t i = 0; i < n; i++)
		if (!distinct || p[distinct - 1].address != p[i].address)
			p[distinct++] = p[i];
	record_put_u32(out, (uint32_t)distinct);
	for (size_t i = 0; i < distinct; i++) {
		record_put_u64(out, p[i].address);
		record_put_u64(out, p[i].size);
	}
}

void device_memory_encode_checksums(const struct device_memory *d, struct buffer *out)
{
	record_put_u32(out, (uint32_t)d->checksums.n);
	for (size_t i = 0; i < d->checksums.n; i++)
		buffer_checksum_put(out, &d->checksums.at[i]);
}

void device_chunk_encode(const struct device_chunk *c, struct buffer *out)
{
	record_put_u64(out, c->id);
	record_put_u64(out, c->size);
	record_put_u64(out, c->address);
}

void device_memory_encode_waiting(const struct device_memory *d, struct buffer *out)
{
	record_put_u32(out, (uint32_t)d->waiting.n);
	for (size_t i = 0; i < d->waiting.n; i++)
		record_put_u64(out, d->waiting.at[i].id);
}

void device_chunks_sum(const struct device_chunks *c, uint64_t bytes[CHUNK_DEVICES_MAX])
{
	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].fd >= 0 && !CHUNK_IS_ON_HOST(c->at[i].id))
			bytes[CHUNK_DEVICE(c->at[i].id)] += c->at[i].size;
}

void device_chunks_sum_parked(const struct device_chunks *c, uint64_t bytes[CHUNK_DEVICES_MAX])
{
	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].fd < 0 && c->at[i].parked)
			bytes[CHUNK_DEVICE(c->at[i].id)] += c->at[i].size;
}

bool device_chunks_parked(const struct device_chunks *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].fd < 0 && c->at[i].parked)
			return true;
	return false;
}
