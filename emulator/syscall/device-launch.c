/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of a launch are a block of the device's heap until it has run. What is asked for is a
 * list of the launch that asks; emulator/launch/machine-launch.c runs it.
 */
#include "emulator/syscall/device-launch.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/memory/state-space.h"
#include "emulator/memory/worker-caches.h"
#include "emulator/ptx/machine-limits.h"
#include "emulator/ptx/ptx-code-address.h"
#include "emulator/ptx/ptx-syntax.h"
#include "emulator/syscall/syscall-argument.h"
#include "emulator/warp/exec.h"

#define TAIL_STREAM 3 /* cudaStreamTailLaunch */
#define NEW_STREAM                                                                                 \
	16 /* what device code gets for a stream or an event of its own: it is never looked at */

enum {
	SUCCESS = 0,
	INVALID_VALUE = 1,
	OUT_OF_MEMORY = 2,
	INVALID_CONFIGURATION = 9
}; /* cudaError_t */

static uint64_t number(struct warp *w, const struct op *o, uint32_t lane, uint32_t i)
{
	return syscall_argument(w, o->call, lane, i);
}

static const struct op *answer(struct warp *w, const struct op *o, uint32_t lane, uint64_t v)
{
	syscall_result(w, o->call, lane, v);
	return o + 1;
}

static void append(struct launch *l, struct device_launch *d)
{
	struct device_launch **at = &l->device_launches;

	while (*at)
		at = &(*at)->next;
	*at = d;
}

/* The lock is held. */
static uint64_t add_kernel(struct launch *l, struct ptx_function *f, const uint32_t *shape)
{
	struct device_launch *d = calloc(1, sizeof(*d));

	if (!d)
		return 0;
	*d = (struct device_launch){ .kind = DEVICE_LAUNCH_KERNEL,
				     .kernel = f,
				     .size = f->param_size };
	memcpy(d->shape, shape, sizeof(d->shape));
	d->to = l->spec->heap_alloc
			? l->spec->heap_alloc(l->spec->data, f->param_size ? f->param_size : 1)
			: 0;
	if (!d->to) {
		free(d);
		return 0;
	}
	append(l, d);
	return d->to;
}

/* (function, grid, block, shared memory) */
const struct op *device_launch_parameters(struct warp *w, const struct op *o)
{
	struct launch *l = w->worker->launch;

	FOR_ACTIVE (lane, w->mask) {
		struct ptx_function *f = ptx_code_address_find(number(w, o, lane, 0));
		uint32_t shape[7];
		uint64_t address;

		if (!f || !f->is_kernel)
			return warp_fault(w, o, GPU_FAULT_INVALID_PC, 1u << lane,
					  "a launch of what is no entry of a loaded module");
		memcpy(shape, syscall_argument_bytes(w, o->call, lane, 1), 3 * sizeof(*shape));
		memcpy(shape + 3, syscall_argument_bytes(w, o->call, lane, 2), 3 * sizeof(*shape));
		shape[6] = (uint32_t)number(w, o, lane, 3);
		pthread_mutex_lock(l->lock);
		address = add_kernel(l, f, shape);
		pthread_mutex_unlock(l->lock);
		answer(w, o, lane, address);
	}
	worker_check_generation(w->worker);
	return o + 1;
}

static bool can_be_launched(const struct device_launch *d)
{
	const uint32_t *s = d->shape;
	uint64_t threads = (uint64_t)s[3] * s[4] * s[5];

	return s[0] && s[1] && s[2] && s[0] <= MACHINE_MAX_GRID_X && s[1] <= MACHINE_MAX_GRID_YZ &&
	       s[2] <= MACHINE_MAX_GRID_YZ && threads && threads <= MACHINE_MAX_THREADS_PER_BLOCK;
}

static uint64_t begin(struct launch *l, uint64_t parameters, uint64_t stream)
{
	struct device_launch *d = l->device_launches, **at = &l->device_launches;

	for (; d && (d->asked || d->kind != DEVICE_LAUNCH_KERNEL || d->to != parameters);
	     d = d->next)
		at = &d->next;
	if (!d)
		return INVALID_VALUE;
	/* Its turn is the order of asking, not of making room. */
	*at = d->next;
	d->next = NULL;
	append(l, d);
	d->asked = can_be_launched(d);
	d->last = stream == TAIL_STREAM;
	return d->asked ? SUCCESS : INVALID_CONFIGURATION;
}

/* (parameters, stream) */
const struct op *device_launch_begin(struct warp *w, const struct op *o)
{
	struct launch *l = w->worker->launch;

	FOR_ACTIVE (lane, w->mask) {
		uint64_t r;

		pthread_mutex_lock(l->lock);
		r = begin(l, number(w, o, lane, 0), number(w, o, lane, 1));
		pthread_mutex_unlock(l->lock);
		answer(w, o, lane, r);
	}
	return o + 1;
}

static const struct op *add_transfer(struct warp *w, const struct op *o,
				     enum device_launch_kind kind, uint32_t stream)
{
	struct launch *l = w->worker->launch;

	FOR_ACTIVE (lane, w->mask) {
		struct device_launch *d = calloc(1, sizeof(*d));

		if (d) {
			*d = (struct device_launch){ .kind = kind,
						     .asked = true,
						     .to = number(w, o, lane, 0),
						     .from = number(w, o, lane, 1),
						     .size = number(w, o, lane, 2),
						     .last = number(w, o, lane, stream) ==
							     TAIL_STREAM };
			pthread_mutex_lock(l->lock);
			append(l, d);
			pthread_mutex_unlock(l->lock);
		}
		answer(w, o, lane, d ? SUCCESS : OUT_OF_MEMORY);
	}
	return o + 1;
}

/* (to, from, size, kind, stream) */
const struct op *device_launch_copy(struct warp *w, const struct op *o)
{
	return add_transfer(w, o, DEVICE_LAUNCH_COPY, 4);
}

/* (to, byte, size, stream) */
const struct op *device_launch_fill(struct warp *w, const struct op *o)
{
	return add_transfer(w, o, DEVICE_LAUNCH_FILL, 3);
}

static bool store(struct warp *w, uint32_t lane, uint64_t address, uint64_t v)
{
	uint8_t *bytes = state_space_bytes(w, (int)lane, address, sizeof(v));

	if (bytes)
		memcpy(bytes, &v, sizeof(v));
	return bytes;
}

/* (where to put it, flags) */
const struct op *device_launch_new_handle(struct warp *w, const struct op *o)
{
	FOR_ACTIVE (lane, w->mask)
		answer(w, o, lane,
		       store(w, lane, number(w, o, lane, 0), NEW_STREAM) ? SUCCESS : INVALID_VALUE);
	return o + 1;
}

const struct op *device_launch_succeed(struct warp *w, const struct op *o)
{
	FOR_ACTIVE (lane, w->mask)
		answer(w, o, lane, SUCCESS);
	return o + 1;
}

/* (where to put it, size) */
const struct op *device_launch_malloc(struct warp *w, const struct op *o)
{
	const struct machine_launch *s = w->worker->launch->spec;

	FOR_ACTIVE (lane, w->mask) {
		uint64_t block = 0;

		pthread_mutex_lock(w->worker->launch->lock);
		if (s->heap_alloc)
			block = s->heap_alloc(s->data, number(w, o, lane, 1));
		pthread_mutex_unlock(w->worker->launch->lock);
		if (!block)
			answer(w, o, lane, OUT_OF_MEMORY);
		else
			answer(w, o, lane,
			       store(w, lane, number(w, o, lane, 0), block) ? SUCCESS
									    : INVALID_VALUE);
	}
	worker_check_generation(w->worker);
	return o + 1;
}

/* (address) */
const struct op *device_launch_free(struct warp *w, const struct op *o)
{
	const struct machine_launch *s = w->worker->launch->spec;

	FOR_ACTIVE (lane, w->mask) {
		uint64_t address = number(w, o, lane, 0);
		bool known;

		pthread_mutex_lock(w->worker->launch->lock);
		known = !address || (s->heap_free && s->heap_free(s->data, address));
		pthread_mutex_unlock(w->worker->launch->lock);
		answer(w, o, lane, known ? SUCCESS : INVALID_VALUE);
	}
	worker_check_generation(w->worker);
	return o + 1;
}
