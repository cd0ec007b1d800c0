/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small pre-images share a scratch chunk. Before a launch the buffers are saved that its arguments
 * point to and that its code writes. A kernel that runs wild writes elsewhere, and just then the
 * rollback is needed; so what is not saved is watched:
 *
 *	the emulated device asks before the first write to a buffer, save_late(); nothing is missed
 *	a real one cannot: there the next worker is told by a digest what a cell that failed has
 *	  changed so, checksum-audit.c
 *
 * save_late() is called in threads of the driver while a launch runs, and the thread that holds
 * device.lock may be waiting for that launch. So it looks at no table of the session: the copy goes
 * to a chunk of its own, which is made without the driver, and `lock` is over all that both have.
 */
#define _GNU_SOURCE
#include "runtime/cuda/rollback/preimage.h"

#include <string.h>

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/memory/address-map.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/driver/device-window.h"
#include "runtime/cuda/memory/host-chunk.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/memory/library-memory.h"
#include "runtime/cuda/memory/peers.h"
#include "runtime/cuda/memory/vmm-pool.h"
#include "runtime/cuda/ptx/ptx-writes.h"
#include "runtime/cuda/reports/trace.h"
#include "runtime/cuda/rollback/checksum-audit.h"

/* A chunk that pre-images are copied to. */
struct scratch {
	uint64_t id;
	uint64_t address;
	uint64_t size; /* 0: there is none */
	uint64_t used;
};

/* Copies that this process has made. `lock` is over the members behind it, and save_late() uses
 * no others. */
static struct preimages {
	struct scratch scratches[DEVICES_MAX]; /* pre-images lie on the device of their buffer */
	uint32_t all_saved;                    /* a bit for each device: what it reaches is saved */
	bool is_watched;                       /* the device tells of writes before they are made */
	struct {
		uint64_t *chunks; /* of small buffers, all of which are saved */
		size_t n, cap;
	} shared;
	pthread_mutex_t lock;
	uint64_t saved_bytes, saved_ns; /* of this cell */
	struct {
		uint64_t *addresses; /* of buffers that were saved while a launch ran */
		size_t n, cap;
		struct host_chunk chunk; /* the last one of this cell */
		uint64_t used;
		int ordinal; /* whose buffers it is for */
	} late;
} preimages = { .lock = PTHREAD_MUTEX_INITIALIZER };

/*
 * A buffer that is saved is as the last cell has left it, so the copy need not wait for anything
 * that this one has begun: that may in its turn wait for the thread that is here.
 */
static CUresult copy_now(int ordinal, uint64_t to, uint64_t from, uint64_t size)
{
	int before = device_current();
	CUresult result = device_switch(ordinal);
	CUstream stream;

	trace_hide();
	if (!result)
		result = device_own_stream(ordinal, &stream);
	if (!result)
		result = device.driver->cuMemcpyAsync(to, from, size, stream);
	if (!result)
		result = device.driver->cuStreamSynchronize(stream);
	trace_unhide();
	device_switch(before);
	return result;
}

/* Room for `size` bytes; device.lock is held. */
static CUresult take(int ordinal, uint64_t size, uint64_t *ret_offset)
{
	struct scratch *s = &preimages.scratches[ordinal];
	CUresult result;

	if (size > s->size - s->used) {
		uint64_t chunk = round_up_to(size, DEVICE_WINDOW_GRANULE);

		result = vmm_pool_scratch(ordinal, chunk, device.rollback == DEVICE_ROLLBACK_HOST,
					  &s->id, &s->address);
		if (result)
			return result;
		s->size = chunk;
		s->used = 0;
	}
	*ret_offset = s->used;
	s->used += round_up_to(size, VMM_POOL_ALIGN);
	if (s->used > s->size)
		s->used = s->size;
	return CUDA_SUCCESS;
}

static CUresult announce(uint64_t address, uint64_t size, uint64_t chunk, uint64_t offset)
{
	cleanup_buffer struct buffer message = BUFFER_INIT;
	struct error err = ERROR_INIT;

	record_put_u64(&message, address);
	record_put_u64(&message, size);
	record_put_u64(&message, chunk);
	record_put_u64(&message, offset);
	if (!buffer_check(&message, &err) &&
	    !device.host->send(WORKER_DEVICE_PREIMAGE, message.data, message.len, -1, &err))
		return CUDA_SUCCESS;
	log_error("device memory: %s", err.text);
	return CUDA_ERROR_OPERATING_SYSTEM;
}

static void refuse(const struct session_buffer *b)
{
	struct ledger_request r = { .size = b->size,
				    .name = session_buffer_name(b),
				    .call = "keeping the old content" };

	ledger_refuse(
		&r,
		"before a cell writes a buffer of an earlier cell, its content is copied, so "
		"that it can be put back if the cell fails; there is no memory for the copy, "
		"on the device or within the limit of host memory.",
		", raise that limit (%limit ram SIZE), or do without the copies: after a cell "
		"that fails the buffers are then as it left them (%gpu rollback off)");
}

/* Nobody will have its old content. */
static CUresult announce_unsaved(uint64_t address, uint64_t size, uint32_t cell, const char *name)
{
	cleanup_buffer struct buffer message = BUFFER_INIT;
	struct error err = ERROR_INIT;

	record_put_u32(&message, 1);
	record_put_u64(&message, address);
	record_put_u64(&message, size);
	record_put_u32(&message, cell);
	record_put_str(&message, name);
	if (!buffer_check(&message, &err) &&
	    !device.host->send(WORKER_UNSAVED_ARE, message.data, message.len, -1, &err))
		return CUDA_SUCCESS;
	log_error("device memory: %s", err.text);
	return CUDA_ERROR_OPERATING_SYSTEM;
}

void preimage_cost(uint64_t *ret_bytes, uint64_t *ret_ns)
{
	*ret_bytes = preimages.saved_bytes;
	*ret_ns = preimages.saved_ns;
}

void preimage_cell_begin(void)
{
	preimages.saved_bytes = preimages.saved_ns = 0;
}

static CUresult save(struct session_buffer *b)
{
	uint64_t offset, began = clock_now_ns();
	CUresult result = take(b->device, b->size, &offset);

	if (result == CUDA_ERROR_OUT_OF_MEMORY)
		refuse(b);
	if (!result)
		result = copy_now(b->device, preimages.scratches[b->device].address + offset,
				  b->address, b->size);
	if (!result)
		result = announce(b->address, b->size, preimages.scratches[b->device].id, offset);
	preimages.saved_bytes += b->size;
	preimages.saved_ns += clock_now_ns() - began;
	return result;
}

static bool is_saved_late(uint64_t address)
{
	for (size_t i = 0; i < preimages.late.n; i++)
		if (preimages.late.addresses[i] == address)
			return true;
	return false;
}

CUresult preimage_save(struct session_buffer *b)
{
	uint64_t serial = device.session->serial;
	CUresult result = CUDA_SUCCESS;

	/* Host memory rolls back with the arena. */
	if (b->kind >= BUFFER_MANAGED || b->born == serial || b->saved == serial)
		return CUDA_SUCCESS;
	pthread_mutex_lock(&preimages.lock);
	if (!is_saved_late(b->address)) {
		result = device.rollback == DEVICE_ROLLBACK_OFF
				 ? announce_unsaved(b->address, b->size, b->cell,
						    session_buffer_name(b))
				 : save(b);
		if (!result && preimages.is_watched)
			device.driver->extension->guard_lift(b->address);
	}
	pthread_mutex_unlock(&preimages.lock);
	if (!result && device.rollback == DEVICE_ROLLBACK_OFF && !preimages.is_watched)
		result = checksum_audit_forget(b);
	if (!result) {
		b->saved = serial;
		b->digested = 0;
	}
	return result;
}

static void close_late(void)
{
	host_chunk_release(&preimages.late.chunk);
	preimages.late.used = 0;
}

/* Room for `size` bytes in late.chunk; small copies share a chunk, as those that take() makes room
 * for. */
static CUresult take_late(int ordinal, uint64_t size)
{
	struct error err = ERROR_INIT;

	if (size <= preimages.late.chunk.size - preimages.late.used &&
	    preimages.late.ordinal == ordinal)
		return CUDA_SUCCESS;
	close_late();
	if (host_chunk_init(&preimages.late.chunk, ordinal,
			    round_up_to(size, DEVICE_WINDOW_GRANULE), &err)) {
		log_error("device memory: %s", err.text);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	preimages.late.ordinal = ordinal;
	return CUDA_SUCCESS;
}

static CUresult copy_late(const struct emulator_guarded *g)
{
	uint64_t began = clock_now_ns(), offset;
	CUresult result = take_late(g->device, g->size);

	if (result)
		return result;
	offset = preimages.late.used;
	memcpy(preimages.late.chunk.bytes + offset, g->bytes, g->size);
	preimages.late.used = round_up_to(offset + g->size, VMM_POOL_ALIGN);
	if (preimages.late.used > preimages.late.chunk.size)
		preimages.late.used = preimages.late.chunk.size;
	preimages.saved_bytes += g->size;
	preimages.saved_ns += clock_now_ns() - began;
	return announce(g->address, g->size, preimages.late.chunk.id, offset);
}

/* The device is about to write to a buffer that was not saved before its launch. */
static int save_late(const struct emulator_guarded *g)
{
	CUresult result = CUDA_SUCCESS;

	pthread_mutex_lock(&preimages.lock);
	if (!is_saved_late(g->address) && device.driver->extension->guard_holds(g->address)) {
		if (!ARRAY_ROOM(preimages.late.addresses, preimages.late.n, &preimages.late.cap))
			result = CUDA_ERROR_OUT_OF_MEMORY;
		else if (device.rollback == DEVICE_ROLLBACK_OFF)
			result = announce_unsaved(g->address, g->size, g->cell, g->name);
		else
			result = copy_late(g);
		if (!result) {
			log_debug(
				"device memory: %llu bytes at %#llx are saved while a launch runs",
				(unsigned long long)g->size, (unsigned long long)g->address);
			preimages.late.addresses[preimages.late.n++] = g->address;
			device.driver->extension->guard_lift(g->address);
		}
	}
	pthread_mutex_unlock(&preimages.lock);
	return (int)result;
}

bool preimage_all_saved(void)
{
	for (int i = 0; i < device.count; i++)
		if (device.contexts[i].handle && !(preimages.all_saved >> i & 1))
			return false;
	return true;
}

static CUresult save_reached(void)
{
	const struct session_array *a = &device.session->buffers;
	int ordinal = device_current();

	if (preimages.all_saved >> ordinal & 1)
		return CUDA_SUCCESS;
	for (uint32_t i = 0; i < a->n; i++) {
		struct session_buffer *b = session_at(a, struct session_buffer, i);
		CUresult result;

		/* Device code cannot write a freed buffer or a constant. */
		if (b->dead || b->kind == BUFFER_CONSTANT || !peers_reach(ordinal, b))
			continue;
		result = preimage_save(b);
		if (result)
			return result;
	}
	preimages.all_saved |= 1u << ordinal;
	return CUDA_SUCCESS;
}

CUresult preimage_save_all(void)
{
	CUresult result = save_reached();

	/* Digests of constants are missing. They were not to be written, and there is nothing to
	 * fall back on. */
	if (!result && !preimages.is_watched && checksum_audit_reach())
		log_warning("device memory: constants of the session are not watched, since the "
			    "device computes no digests");
	return result;
}

/* Once in a cell; without memory for the note, each time. */
static bool is_new_chunk(uint64_t chunk)
{
	for (size_t i = preimages.shared.n; i-- > 0;)
		if (preimages.shared.chunks[i] == chunk)
			return false;
	if (ARRAY_ROOM(preimages.shared.chunks, preimages.shared.n, &preimages.shared.cap))
		preimages.shared.chunks[preimages.shared.n++] = chunk;
	return true;
}

/*
 * Small buffers share a chunk, which is mapped as a whole: what runs over the end of one on a GPU
 * is in the next, and no fault. So all of a chunk is saved with the first that is written.
 */
static CUresult save_beside(const struct session_buffer *b)
{
	const struct session_array *a = &device.session->buffers;
	uint64_t chunk = b->address / DEVICE_WINDOW_GRANULE;
	CUresult result = CUDA_SUCCESS;

	if (preimages.is_watched || b->size > VMM_POOL_SMALL || !is_new_chunk(chunk))
		return CUDA_SUCCESS;
	for (uint32_t i = 0; i < a->n && !result; i++) {
		struct session_buffer *other = session_at(a, struct session_buffer, i);

		if (!other->dead && other->size <= VMM_POOL_SMALL &&
		    other->address / DEVICE_WINDOW_GRANULE == chunk)
			result = preimage_save(other);
	}
	return result;
}

/* Is the value what a write may have been made from? What lies where it points to is saved. */
static CUresult save_base(uint64_t value, bool *ret_is_pointer, bool *ret_is_wild)
{
	struct session_buffer *b = ledger_find(value);
	CUresult result;

	*ret_is_pointer = b || !value || library_memory_reaches(value, 1);
	*ret_is_wild = !*ret_is_pointer && address_in_device(value);
	if (!b || b->kind == BUFFER_CONSTANT)
		return CUDA_SUCCESS;
	result = preimage_save(b);
	return result ? result : save_beside(b);
}

/* *ret_known: at least one of the bases is an address that is known, and none is one that is not.
 */
static CUresult save_set(const struct ptx_writes *w, const struct ptx_writes_set *s, void **args,
			 bool *ret_known)
{
	CUresult result = CUDA_SUCCESS;
	bool wild = false;

	*ret_known = s->own;
	for (uint32_t i = 0; i < s->n && !result; i++) {
		bool is_pointer, is_wild;

		result = save_base(ptx_writes_value(w, &w->bases[s->first + i], args), &is_pointer,
				   &is_wild);
		*ret_known |= is_pointer;
		wild |= is_wild;
	}
	*ret_known &= !wild;
	return result;
}

static CUresult save_launch(const struct ptx_writes *w, void **args)
{
	CUresult result = CUDA_SUCCESS;

	if (device.rollback == DEVICE_ROLLBACK_WHOLE || w->all || (w->n_parameters && !args))
		return save_reached();
	if (preimages.all_saved >> device_current() & 1)
		return CUDA_SUCCESS;
	for (uint32_t i = 0; i < w->n_sets && !result; i++) {
		bool known;

		result = save_set(w, &w->sets[i], args, &known);
		if (!result && !known)
			return save_reached();
	}
	return result;
}

/* Digests are taken of what is not saved. A device that cannot compute them has all of it saved. */
static CUresult watch_rest(void)
{
	return preimages.is_watched || !checksum_audit_reach() ? CUDA_SUCCESS : save_reached();
}

CUresult preimage_save_launch(const struct ptx_writes *w, void **args)
{
	CUresult result = save_launch(w, args);

	return result ? result : watch_rest();
}

CUresult preimage_save_pointer(uint64_t value)
{
	bool is_pointer, is_wild;

	return save_base(value, &is_pointer, &is_wild);
}

CUresult preimage_save_rest(void)
{
	return device.rollback == DEVICE_ROLLBACK_WHOLE ? save_reached() : watch_rest();
}

CUresult preimage_keep(uint64_t address, uint64_t size)
{
	const struct session_buffer *b = ledger_find(address);
	int ordinal = b ? b->device : 0;
	uint64_t offset;
	CUresult result = take(ordinal, size, &offset);

	if (!result)
		result = copy_now(ordinal, preimages.scratches[ordinal].address + offset, address,
				  size);
	return result ? result : announce(address, size, preimages.scratches[ordinal].id, offset);
}

CUresult preimage_restore(uint64_t address, uint64_t size, uint64_t chunk, uint64_t offset)
{
	uint64_t from = vmm_pool_scratch_address(chunk);
	const struct session_buffer *b = ledger_find(address);

	return from ? copy_now(b ? b->device : 0, address, from + offset, size)
		    : CUDA_ERROR_NOT_FOUND;
}

void preimage_reset(void)
{
	for (int i = 0; i < DEVICES_MAX; i++)
		preimages.scratches[i].size = preimages.scratches[i].used = 0;
	preimages.all_saved = 0;
	checksum_audit_reset();
	preimages.shared.n = 0;
	pthread_mutex_lock(&preimages.lock);
	preimages.late.n = 0;
	close_late();
	pthread_mutex_unlock(&preimages.lock);
	if (preimages.is_watched)
		device.driver->extension->guard(NULL);
	preimages.is_watched = false;
}

void preimage_watch(void)
{
	preimages.is_watched = device.usable && device.driver->extension;
	if (preimages.is_watched)
		device.driver->extension->guard(save_late);
}

void preimage_reach_changed(void)
{
	preimages.all_saved = 0;
	checksum_audit_reset();
}
