/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exact path of memory accesses: which bytes an address stands for, lane by lane, and what is
 * said when it stands for none (PTX ISA chapter 5, state spaces). Handlers come here when their
 * one-buffer check fails: a new buffer, lanes in several buffers, a window address, or a fault.
 */
#include "emulator/memory/state-space.h"

#include <string.h>

#include "emulator/memory/block-memory.h"
#include "emulator/memory/shadow.h"
#include "emulator/memory/taint.h"
#include "emulator/ptx/ptx-lines.h"
#include "emulator/warp/exec.h"
#include "emulator/warp/fault-address.h"
#include "emulator/warp/observer.h"

#define PARAM_FRAME_OFFSET 0x1000000ull

static bool inside(uint64_t address, uint64_t size, uint64_t base, uint64_t limit)
{
	return address - base < limit && limit - (address - base) >= size;
}

static bool in_windows(uint64_t address)
{
	return address - MACHINE_SHARED_WINDOW < 5 * MACHINE_WINDOW_SIZE;
}

/* The live buffer around the address, from the worker's few recent ones or from the driver. None
 * lies in a window. */
static const struct machine_buffer *find_buffer(struct machine_worker *k, uint64_t address)
{
	const struct machine_memory *m = k->launch->spec->memory;
	struct machine_buffer *slot;

	if (in_windows(address))
		return NULL;
	for (int i = 0; i < WORKER_BUFFERS; i++)
		if (address - k->recent[i].address < k->recent[i].size)
			return &k->recent[i];
	slot = &k->recent[k->recent_next];
	memset(slot, 0, sizeof(*slot));
	if (!m || !m->find || !m->find(m->data, address, slot)) {
		memset(slot, 0, sizeof(*slot));
		return NULL;
	}
	k->recent_next = (k->recent_next + 1) % WORKER_BUFFERS;
	return slot;
}

/* One lane of a generic or global access; NULL when the address is bad. */
static uint8_t *window_bytes(struct warp *w, uint32_t lane, uint64_t address, uint64_t size,
			     enum gpu_access kind)
{
	struct launch *l = w->worker->launch;

	if (address - MACHINE_SHARED_WINDOW < MACHINE_WINDOW_SIZE &&
	    block_array(w->block, address - MACHINE_SHARED_WINDOW, size))
		return w->block->shared + (address - MACHINE_SHARED_WINDOW);
	if (inside(address, size, MACHINE_LOCAL_WINDOW, w->local_size))
		return w->local + (uint64_t)lane * w->local_size + (address - MACHINE_LOCAL_WINDOW);
	if (inside(address, size, MACHINE_WORKSPACE, sizeof(l->workspace)))
		return l->workspace + (address - MACHINE_WORKSPACE);
	if (w->frame->program->param_area &&
	    inside(address, size, MACHINE_PARAM_WINDOW + PARAM_FRAME_OFFSET,
		   w->frame->program->param_area))
		return w->frame->params + (uint64_t)lane * w->frame->program->param_area +
		       (address - MACHINE_PARAM_WINDOW - PARAM_FRAME_OFFSET);
	if (kind == GPU_ACCESS_READ &&
	    inside(address, size, MACHINE_PARAM_WINDOW, l->spec->params_size))
		return (uint8_t *)(uintptr_t)l->spec->params + (address - MACHINE_PARAM_WINDOW);
	return NULL;
}

uint8_t *state_space_bytes(struct warp *w, int lane, uint64_t address, uint64_t size)
{
	const struct machine_buffer *b = find_buffer(w->worker, address);

	if (b && inside(address, size, b->address, b->size))
		return (uint8_t *)b->bytes + (address - b->address);
	return window_bytes(w, (uint32_t)lane, address, size, GPU_ACCESS_READ);
}

uint8_t *state_space_peek(struct warp *w, uint32_t lane, uint64_t *address, uint32_t size,
			  enum gpu_access kind, enum ptx_space wanted, enum ptx_space *ret_space)
{
	const struct machine_buffer *b = find_buffer(w->worker, *address);
	uint8_t *bytes;

	*ret_space = PTX_SPACE_GLOBAL;
	if (b && inside(*address, size, b->address, b->size))
		return b->read_only && kind != GPU_ACCESS_READ
			       ? NULL
			       : (uint8_t *)b->bytes + (*address - b->address);
	bytes = in_windows(*address) && wanted != PTX_SPACE_CONST
			? window_bytes(w, lane, *address, size, kind)
			: NULL;
	if (!bytes || *address - MACHINE_WORKSPACE < MACHINE_WINDOW_SIZE)
		return bytes;
	if (wanted == PTX_SPACE_GLOBAL)
		return NULL;
	if (*address - MACHINE_SHARED_WINDOW < MACHINE_WINDOW_SIZE) {
		*ret_space = PTX_SPACE_SHARED;
		*address -= MACHINE_SHARED_WINDOW;
	} else if (*address - MACHINE_LOCAL_WINDOW < MACHINE_WINDOW_SIZE) {
		if (kind == GPU_ACCESS_ATOMIC)
			return NULL;
		*ret_space = PTX_SPACE_LOCAL;
		*address -= MACHINE_LOCAL_WINDOW;
	} else {
		*ret_space = PTX_SPACE_PARAM;
	}
	return bytes;
}

const char *state_space_text(struct warp *w, int lane, uint64_t address, size_t *ret_len)
{
	const char *text = (const char *)state_space_bytes(w, lane, address, 1);
	size_t len = 0;

	if (!text)
		return NULL;
	/* Byte after byte: the text may end at the end of its buffer. */
	while (len < 65536 && state_space_bytes(w, lane, address + len, 1) && text[len])
		len++;
	*ret_len = len;
	return text;
}

static void describe_buffer(struct gpu_fault *f, const struct machine_memory *m,
			    const struct machine_buffer *b)
{
	f->has_buffer = true;
	f->freed = b->freed;
	f->read_only = b->read_only;
	f->buffer_address = b->address;
	f->buffer_size = b->size;
	f->buffer_tag = b->tag;
	f->buffer_freed_tag = b->freed_tag;
	f->unreachable = b->unreachable;
	f->buffer_device = b->device;
	f->device = m->device;
	memcpy(f->buffer_name, b->name, sizeof(f->buffer_name));
	f->buffer_name[sizeof(f->buffer_name) - 1] = '\0';
}

static uint64_t array_distance(const struct memory_cache *a, uint64_t offset)
{
	if (offset < a->base)
		return a->base - offset;
	return offset - a->base < a->size ? 0 : offset - a->base - a->size + 1;
}

/* The array that is nearest, the one before the address in doubt: most indices run over the end. */
static void describe_shared(struct gpu_fault *f, const struct warp *w, uint64_t offset)
{
	const struct ptx_function *kernel = w->worker->launch->spec->kernel;
	const struct memory_cache *best = NULL;
	size_t index;

	f->window = w->worker->launch->shared_counted;
	for (uint32_t i = 0; i < w->block->array_count; i++) {
		const struct memory_cache *a = &w->block->arrays[i];

		if (!best || array_distance(a, offset) < array_distance(best, offset))
			best = a;
	}
	if (!best || offset >= MACHINE_WINDOW_SIZE)
		return;
	f->has_array = true;
	f->array_offset = best->base;
	f->array_size = best->size;
	index = (size_t)(best - w->block->arrays);
	ptx_lines_source_name(index < kernel->shared_array_count ? kernel->shared_arrays[index].name
			      : kernel->dynamic_shared           ? kernel->dynamic_shared
								 : "(dynamic)",
			      f->array_name, sizeof(f->array_name));
}

static bool fault(struct warp *w, const struct op *o, struct memory_access a,
		  enum gpu_fault_kind kind, uint32_t lanes, uint64_t address, const char *note)
{
	struct gpu_fault *f = &w->worker->fault;

	warp_fault(w, o, kind, lanes, note);
	f->access = a.kind;
	f->space = a.space;
	f->size = a.size;
	f->address = address;
	state_space_describe(w, f);
	fault_address_explain(w, o, (uint32_t)first_lane(lanes), f);
	return false;
}

void state_space_describe(struct warp *w, struct gpu_fault *f)
{
	const struct machine_memory *m = w->worker->launch->spec->memory;
	struct machine_buffer near;
	uint64_t address = f->address;

	f->reaches_host = m && m->reaches_host;
	if (f->space == PTX_SPACE_SHARED || address - MACHINE_SHARED_WINDOW < MACHINE_WINDOW_SIZE)
		describe_shared(f, w,
				f->space == PTX_SPACE_SHARED ? address
							     : address - MACHINE_SHARED_WINDOW);
	else if (f->space == PTX_SPACE_LOCAL)
		f->window = w->local_size;
	else if (!in_windows(address) && m && m->nearest && m->nearest(m->data, address, &near))
		describe_buffer(f, m, &near);
}

/* Far past any shared or local memory: an address of another kind, not an index that ran over. */
static bool address_is_generic(uint64_t address)
{
	return address >= 1ull << 32 && address < 1ull << 47;
}

static uint8_t *array_shadow(const struct memory_cache *a, uint64_t offset)
{
	return a && a->shadow ? a->shadow + (offset - a->base) / SHADOW_WORD : NULL;
}

static uint8_t *local_shadow(const struct warp *w, uint32_t lane, uint64_t offset)
{
	return w->local_shadow + ((uint64_t)lane * w->local_size + offset) / SHADOW_WORD;
}

static uint8_t *buffer_shadow(const struct machine_buffer *b, uint64_t address)
{
	uint8_t *words = b->shadow ? shadow_words(b->shadow) : NULL;

	return words ? words + (address - b->address) / SHADOW_WORD : NULL;
}

uint8_t *state_space_shadow(struct warp *w, uint32_t lane, uint64_t address, enum ptx_space space)
{
	const struct machine_buffer *b;

	if (space == PTX_SPACE_SHARED)
		return array_shadow(block_array(w->block, address, 1), address);
	if (space == PTX_SPACE_LOCAL)
		return address < w->local_size ? local_shadow(w, lane, address) : NULL;
	if (address - MACHINE_SHARED_WINDOW < MACHINE_WINDOW_SIZE)
		return state_space_shadow(w, lane, address - MACHINE_SHARED_WINDOW,
					  PTX_SPACE_SHARED);
	if (address - MACHINE_LOCAL_WINDOW < MACHINE_WINDOW_SIZE)
		return state_space_shadow(w, lane, address - MACHINE_LOCAL_WINDOW, PTX_SPACE_LOCAL);
	b = find_buffer(w->worker, address);
	return b ? buffer_shadow(b, address) : NULL;
}

struct shadow *state_space_buffer_shadow(struct warp *w, uint64_t address)
{
	const struct machine_buffer *b = find_buffer(w->worker, address);

	return b ? b->shadow : NULL;
}

/* Stores know here what is written; loads and atomics look for themselves. */
static void mark_written(struct warp *w, const struct op *o, const uint64_t *address,
			 struct memory_access a)
{
	if (a.kind == GPU_ACCESS_READ || o->id == OP_atom)
		return;
	if (w->frame->taint && o->id >= OP_st_global_u8 && o->id <= OP_st_local_b32v4) {
		taint_stored(w, o);
		return;
	}
	FOR_ACTIVE (l, w->mask)
		if (w->worker->shadow_at[l])
			shadow_mark(w->worker->shadow_at[l], address[l] & 3, a.size);
}

/* A GPU looks at this before it looks for the memory. */
static bool is_misaligned(uint64_t address, struct memory_access a)
{
	return address & (a.align - 1);
}

/* Shared or local accesses by offset: past the array or the window is the only fault beside
 * alignment. */
static bool resolve_window(struct warp *w, const struct op *o, const uint64_t *address,
			   struct memory_access a, uint8_t **ret)
{
	bool shared = a.space == PTX_SPACE_SHARED;
	uint64_t limit = w->local_size;

	FOR_ACTIVE (l, w->mask) {
		const struct memory_cache *array =
			shared ? block_array(w->block, address[l], a.size) : NULL;

		if (is_misaligned(address[l], a))
			return fault(w, o, a, GPU_FAULT_MISALIGNED, 1u << l, address[l], "");
		if (array)
			w->caches[o->cache].array = (uint64_t)(array - w->arrays);
		if (shared ? !array : !inside(address[l], a.size, 0, limit)) {
			bool other = address_is_generic(address[l]);

			return fault(w, o, a, other ? GPU_FAULT_ADDRESS_SPACE : GPU_FAULT_WINDOW,
				     1u << l, address[l], "");
		}
		ret[l] = (shared ? w->block->shared : w->local + (uint64_t)l * limit) + address[l];
		w->worker->shadow_at[l] =
			shared ? array_shadow(array, address[l]) : local_shadow(w, l, address[l]);
	}
	mark_written(w, o, address, a);
	return true;
}

/* The first write to a buffer whose content somebody wants to keep. */
static bool lift_guard(struct machine_worker *k, const struct machine_buffer *b)
{
	const struct machine_memory *m = k->launch->spec->memory;

	if (m->before_write(m->data, b))
		return false;
	for (int i = 0; i < WORKER_BUFFERS; i++)
		if (k->recent[i].address == b->address)
			k->recent[i].guarded = false;
	return true;
}

static bool resolve_one(struct warp *w, const struct op *o, uint32_t l, uint64_t address,
			struct memory_access a, uint8_t **ret, const struct machine_buffer **buffer)
{
	const struct machine_buffer *b = find_buffer(w->worker, address);

	*buffer = b;
	if (is_misaligned(address, a))
		return fault(w, o, a, GPU_FAULT_MISALIGNED, 1u << l, address, "");
	if (b && inside(address, a.size, b->address, b->size)) {
		if (b->read_only && a.kind != GPU_ACCESS_READ)
			return fault(w, o, a, GPU_FAULT_ILLEGAL_ADDRESS, 1u << l, address,
				     "the buffer is read-only for device code");
		if (b->guarded && a.kind != GPU_ACCESS_READ && !lift_guard(w->worker, b))
			return fault(w, o, a, GPU_FAULT_ILLEGAL_ADDRESS, 1u << l, address,
				     "the buffer's content could not be kept for a rollback");
		*ret = (uint8_t *)b->bytes + (address - b->address);
		w->worker->shadow_at[l] = buffer_shadow(b, address);
	} else {
		w->worker->shadow_at[l] =
			in_windows(address) ? state_space_shadow(w, l, address, PTX_SPACE_GENERIC)
					    : NULL;
		*ret = in_windows(address) && a.space != PTX_SPACE_CONST
			       ? window_bytes(w, l, address, a.size, a.kind)
			       : NULL;
		if (*ret && a.space == PTX_SPACE_GLOBAL &&
		    address - MACHINE_WORKSPACE >= MACHINE_WINDOW_SIZE)
			return fault(w, o, a, GPU_FAULT_ADDRESS_SPACE, 1u << l, address,
				     "a shared, local or parameter address used as a global one");
		if (*ret && a.kind == GPU_ACCESS_ATOMIC &&
		    address - MACHINE_LOCAL_WINDOW < MACHINE_WINDOW_SIZE)
			return fault(w, o, a, GPU_FAULT_ADDRESS_SPACE, 1u << l, address,
				     "atomics need shared or global memory");
	}
	if (!*ret)
		return fault(w, o, a,
			     in_windows(address) && address < MACHINE_PARAM_WINDOW
				     ? GPU_FAULT_WINDOW
				     : GPU_FAULT_ILLEGAL_ADDRESS,
			     1u << l, address, "");
	return true;
}

bool state_space_resolve(struct warp *w, const struct op *o, const uint64_t *address,
			 struct memory_access a, uint8_t **ret)
{
	const struct machine_buffer *b;
	struct memory_cache first = { 0 };
	bool same = true;

	if (a.space == PTX_SPACE_SHARED || a.space == PTX_SPACE_LOCAL)
		return resolve_window(w, o, address, a, ret);
	FOR_ACTIVE (l, w->mask) {
		if (!resolve_one(w, o, l, address[l], a, &ret[l], &b))
			return false;
		if (b && !first.size)
			first = (struct memory_cache){ b->address,
						       b->size,
						       b->bytes,
						       { 0 },
						       b->shadow ? shadow_words(b->shadow) : NULL };
		same &= b && b->address == first.base;
	}
	if (w->worker->observer_count)
		observer_placed(w, o);
	if (same)
		w->caches[o->cache] = first;
	mark_written(w, o, address, a);
	return true;
}
