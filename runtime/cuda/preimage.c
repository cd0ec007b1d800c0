/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small pre-images share a scratch chunk. Every buffer that device code could write is saved before the first launch of a
 * cell: an entry that runs wild writes where its arguments do not point, and just then the rollback is needed.
 */
#include "runtime/cuda/preimage.h"

#include "common/buffer.h"
#include "common/clock.h"
#include "common/error.h"
#include "common/log.h"
#include "common/record.h"
#include "common/worker-protocol.h"
#include "runtime/cuda/device-state.h"
#include "runtime/cuda/ledger.h"
#include "runtime/cuda/peers.h"
#include "runtime/cuda/trace.h"
#include "runtime/cuda/vmm-pool.h"

/* Pre-images lie on the device of their buffer. */
static struct scratch {
	uint64_t id;
	uint64_t address;
	uint64_t size; /* 0: there is none */
	uint64_t used;
} scratches[SESSION_DEVICES_MAX];
static uint64_t saved_bytes, saved_ns; /* of this cell */
static uint32_t all_saved; /* a bit for each device: what it reaches is saved */

/*
 * What is saved is as the last cell has left it, so it need not wait for anything that this one has begun: that may in its
 * turn wait for the thread that is here.
 */
static CUresult copy_now(int ordinal, uint64_t to, uint64_t from, uint64_t size)
{
	static CUstream streams[SESSION_DEVICES_MAX];
	CUstream *stream = &streams[ordinal];
	int before = device_current();
	CUresult result = device_switch(ordinal);

	trace_hide();
	if (!result && !*stream) {
		result = device.driver->cuStreamCreateWithPriority(stream, CU_STREAM_NON_BLOCKING, 0);
		if (!result && device.driver->extension)
			device.driver->extension->profile_hide(*stream);
	}
	if (!result)
		result = device.driver->cuMemcpyAsync(to, from, size, *stream);
	if (!result)
		result = device.driver->cuStreamSynchronize(*stream);
	trace_unhide();
	device_switch(before);
	return result;
}

/* Room for `size` bytes; device.lock is held. */
static CUresult take(int ordinal, uint64_t size, uint64_t *ret_offset)
{
	struct scratch *s = &scratches[ordinal];
	CUresult result;

	if (size > s->size - s->used) {
		uint64_t chunk = round_up_to(size, VMM_POOL_GRANULE);

		result = vmm_pool_scratch(ordinal, chunk, device.rollback == DEVICE_ROLLBACK_HOST, &s->id, &s->address);
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

static CUresult announce(const struct session_buffer *b, uint64_t offset)
{
	cleanup_buffer struct buffer message = BUFFER_INIT;
	struct error err = ERROR_INIT;

	record_put_u64(&message, b->address);
	record_put_u64(&message, b->size);
	record_put_u64(&message, scratches[b->device].id);
	record_put_u64(&message, offset);
	if (!buffer_check(&message, &err) &&
	    !device.host->send(WORKER_DEVICE_PREIMAGE, message.data, message.len, -1, &err))
		return CUDA_SUCCESS;
	log_error("device memory: %s", err.text);
	return CUDA_ERROR_OPERATING_SYSTEM;
}

static void refuse(const struct session_buffer *b)
{
	struct ledger_request r = { .size = b->size, .name = ledger_name(b), .call = "keeping the old content" };

	ledger_refuse(&r, "before a cell writes a buffer of an earlier cell, its content is copied, so that it can be put "
			  "back if the cell fails; there is no memory for the copy.", "");
}

/* Nobody will have its old content. */
static CUresult announce_unsaved(const struct session_buffer *b)
{
	cleanup_buffer struct buffer message = BUFFER_INIT;
	struct error err = ERROR_INIT;

	record_put_u32(&message, 1);
	record_put_u64(&message, b->address);
	record_put_u64(&message, b->size);
	record_put_u32(&message, b->cell);
	record_put_str(&message, ledger_name(b));
	if (!buffer_check(&message, &err) && !device.host->send(WORKER_IN_PLACE_ARE, message.data, message.len, -1, &err))
		return CUDA_SUCCESS;
	log_error("device memory: %s", err.text);
	return CUDA_ERROR_OPERATING_SYSTEM;
}

void device_rollback_cost(uint64_t *ret_bytes, uint64_t *ret_ns)
{
	*ret_bytes = saved_bytes;
	*ret_ns = saved_ns;
}

void preimage_cell_begin(void)
{
	saved_bytes = saved_ns = 0;
}

static CUresult save(struct session_buffer *b)
{
	uint64_t offset, began = clock_now_ns();
	CUresult result = take(b->device, b->size, &offset);

	if (result == CUDA_ERROR_OUT_OF_MEMORY)
		refuse(b);
	if (!result)
		result = copy_now(b->device, scratches[b->device].address + offset, b->address, b->size);
	if (!result)
		result = announce(b, offset);
	saved_bytes += b->size;
	saved_ns += clock_now_ns() - began;
	return result;
}

CUresult preimage_save(struct session_buffer *b)
{
	uint64_t serial = device.session->serial;
	CUresult result;

	/* Host memory rolls back with the arena. */
	if (b->kind >= BUFFER_MANAGED || b->born == serial || b->saved == serial)
		return CUDA_SUCCESS;
	result = device.rollback == DEVICE_ROLLBACK_OFF ? announce_unsaved(b) : save(b);
	if (!result)
		b->saved = serial;
	return result;
}

bool preimage_all_saved(void)
{
	for (int i = 0; i < device.count; i++)
		if (device.contexts[i] && !(all_saved >> i & 1))
			return false;
	return true;
}

CUresult preimage_save_all(void)
{
	const struct session_array *a = &device.session->buffers;
	int ordinal = device_current();

	if (all_saved >> ordinal & 1)
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
	all_saved |= 1u << ordinal;
	return CUDA_SUCCESS;
}

CUresult preimage_restore(uint64_t address, uint64_t size, uint64_t chunk, uint64_t offset)
{
	uint64_t from = vmm_pool_scratch_address(chunk);
	const struct session_buffer *b = ledger_find(address);

	return from ? copy_now(b ? b->device : 0, address, from + offset, size) : CUDA_ERROR_NOT_FOUND;
}

void preimage_reset(void)
{
	for (int i = 0; i < SESSION_DEVICES_MAX; i++)
		scratches[i].size = scratches[i].used = 0;
	all_saved = 0;
}

void preimage_reach_changed(void)
{
	all_saved = 0;
}
