/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tests of the machine share: a small device memory, loading PTX text, launching, and what was
 * printed. Buffers live where the driver would put them, at addresses that the host cannot touch;
 * bytes are elsewhere.
 */
#ifndef CGPU_TESTS_UNIT_MACHINE_H
#define CGPU_TESTS_UNIT_MACHINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/memory/address-map.h"
#include "emulator/decode/ptx-function.h"
#include "emulator/hot/hot.h"
#include "emulator/launch/machine-launch.h"
#include "emulator/ptx/ptx-program.h"
#include "emulator/ptx/ptx-syntax.h"

#define PTX_HEAD ".version 9.0\n.target sm_75\n.address_size 64\n"
#define DEVICE_BUFFERS 64

struct device {
	struct machine_buffer buffers[DEVICE_BUFFERS];
	int count;
	uint64_t next;
	_Atomic uint64_t generation;
	struct buffer printed;
	struct machine_memory memory;
	struct ptx_module *module;
	struct gpu_fault fault;
	struct error err;
	unsigned threads;
	bool cooperative;
	bool compiled; /* entries are compiled before they run, all blocks that can be */
	const _Atomic int *stop;
	struct observer *const *observers;
	uint32_t observer_count;
	struct machine_stats stats;
};

static bool device_find(void *data, uint64_t address, struct machine_buffer *ret)
{
	struct device *d = data;

	for (int i = 0; i < d->count; i++)
		if (!d->buffers[i].freed && address - d->buffers[i].address < d->buffers[i].size) {
			*ret = d->buffers[i];
			return true;
		}
	return false;
}

static bool device_nearest(void *data, uint64_t address, struct machine_buffer *ret)
{
	struct device *d = data;
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < d->count; i++) {
		const struct machine_buffer *b = &d->buffers[i];
		uint64_t distance = address < b->address ? b->address - address
				    : address >= b->address + b->size
					    ? address - b->address - b->size + 1
					    : 0;

		if (distance < best) {
			best = distance;
			*ret = *b;
		}
	}
	return best != UINT64_MAX;
}

static inline struct device *device_new(void)
{
	struct device *d = calloc(1, sizeof(*d));

	assert_non_null(d);
	d->next = DEVICE_BASE;
	d->threads = 1;
	d->memory = (struct machine_memory){ .data = d,
					     .find = device_find,
					     .nearest = device_nearest,
					     .generation = &d->generation };
	return d;
}

static inline void device_free(struct device *d)
{
	ptx_module_free(d->module);
	for (int i = 0; i < d->count; i++)
		free(d->buffers[i].bytes);
	buffer_release(&d->printed);
	free(d);
}

/* A zeroed buffer; its cell number is 3. Returns the device address. */
static inline uint64_t device_buffer(struct device *d, const char *name, size_t size)
{
	struct machine_buffer *b = &d->buffers[d->count++];

	assert_true(d->count <= DEVICE_BUFFERS);
	b->address = d->next;
	b->size = size;
	b->bytes = calloc(1, size + 1);
	assert_non_null(b->bytes);
	b->tag = 3;
	strncpy(b->name, name, sizeof(b->name) - 1);
	d->next += (size + 255) / 256 * 256 + 256;
	d->generation++;
	return b->address;
}

static inline void *device_bytes(struct device *d, uint64_t address)
{
	struct machine_buffer b = { 0 };

	assert_true(device_find(d, address, &b));
	return (char *)b.bytes + (address - b.address);
}

static inline void device_forget(struct device *d, uint64_t address, uint32_t cell)
{
	for (int i = 0; i < d->count; i++)
		if (d->buffers[i].address == address) {
			d->buffers[i].freed = true;
			d->buffers[i].freed_tag = cell;
		}
	d->generation++;
}

static inline int device_place(void *data, const struct ptx_variable *v, uint64_t *ret_address,
			       void **ret_bytes, struct error *err)
{
	struct device *d = data;

	(void)err;
	*ret_address = device_buffer(d, v->name, v->size);
	d->buffers[d->count - 1].read_only = v->space == PTX_SPACE_CONST;
	*ret_bytes = d->buffers[d->count - 1].bytes;
	return 0;
}

/* body without the module head; an earlier module of the device is freed. */
static inline void device_load(struct device *d, const char *body)
{
	struct buffer text = BUFFER_INIT;
	struct ptx_placer placer = { .data = d, .place = device_place };

	ptx_module_free(d->module);
	buffer_puts(&text, PTX_HEAD);
	buffer_puts(&text, body);
	d->module = ptx_module_load(text.data, text.len, &machine_ptx, &d->err);
	buffer_release(&text);
	if (!d->module)
		fail_msg("%s", d->err.text);
	if (ptx_module_place(d->module, &placer, &d->err))
		fail_msg("%s", d->err.text);
}

static inline void device_print(void *data, const char *text, size_t len)
{
	struct device *d = data;

	buffer_append(&d->printed, text, len);
}

static inline void device_compile(struct device *d, struct ptx_function *f)
{
	if (ptx_function_prepare(f, &d->err))
		fail_msg("%s", d->err.text);
	if (!f->body->program->hot && hot_compile(f->body->program, &d->err) < 0)
		fail_msg("%s", d->err.text);
}

struct shape {
	uint32_t grid[3], block[3], dynamic_shared;
};

static inline int device_launch_shape(struct device *d, const char *entry, struct shape s,
				      const void *params, size_t size)
{
	struct machine_launch l = {
		.kernel = ptx_module_function(d->module, entry),
		.grid = { s.grid[0], s.grid[1], s.grid[2] },
		.block = { s.block[0], s.block[1], s.block[2] },
		.dynamic_shared = s.dynamic_shared,
		.params = params,
		.params_size = size,
		.memory = &d->memory,
		.cooperative = d->cooperative,
		.threads = d->threads,
		.stop = d->stop,
		.observers = d->observers,
		.observer_count = d->observer_count,
		.data = d,
		.print = device_print,
	};

	assert_non_null(l.kernel);
	if (d->compiled)
		device_compile(d, l.kernel);
	memset(&d->fault, 0, sizeof(d->fault));
	return machine_launch(&l, &d->fault, &d->stats, &d->err);
}

/* 0, 1 or -1 as machine_launch(). */
static inline int device_launch(struct device *d, const char *entry, uint32_t grid, uint32_t block,
				const void *params, size_t size)
{
	return device_launch_shape(d, entry, (struct shape){ { grid, 1, 1 }, { block, 1, 1 }, 0 },
				   params, size);
}

static inline void assert_runs(struct device *d, const char *entry, uint32_t grid, uint32_t block,
			       const void *params, size_t size)
{
	struct buffer text = BUFFER_INIT;
	int rc = device_launch(d, entry, grid, block, params, size);

	if (rc < 0)
		fail_msg("%s", d->err.text);
	if (rc > 0) {
		gpu_fault_print(&d->fault, &text);
		fail_msg("%s", buffer_text(&text));
	}
}

/* The tests in a child for each copy of the core; one that this processor cannot run becomes the
 * baseline. */
static inline int machine_on_each_core(int (*run)(void))
{
	static const char *const cores[] = { "baseline", "avx2", "avx512" };
	int failed = 0;

	for (size_t i = 0; i < sizeof(cores) / sizeof(cores[0]); i++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			setenv("CGPU_CORE", cores[i], 1);
			exit(run());
		}
		failed |= child < 0 || waitpid(child, &status, 0) != child || status;
	}
	return failed;
}

#endif
