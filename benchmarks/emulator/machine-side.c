/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes on cgpu's machine: compiled as cells are, then machine_launch(), interpreted or with the
 * code that a hot entry gets.
 */
#include "benchmarks/emulator/shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/code/unit.h"
#include "common/memory/address-map.h"
#include "compiler/frontend/compile.h"
#include "emulator/check/race.h"
#include "emulator/decode/ptx-function.h"
#include "emulator/exec/core.h"
#include "emulator/hot/hot.h"
#include "emulator/launch/machine-launch.h"
#include "emulator/ptx/ptx-program.h"
#include "emulator/ptx/ptx-syntax.h"

static char *bytes[BUFFERS];
static _Atomic uint64_t generation = 1;
static struct compiler compiler;
static struct ptx_module *module;
static struct buffer ptx = BUFFER_INIT; /* its text */
static unsigned host_threads;
static struct machine_stats stats;
static enum check checking;

static uint64_t address_of(int i)
{
	return DEVICE_BASE + (uint64_t)i * 2 * BUFFER_BYTES;
}

static bool find(void *data, uint64_t address, struct machine_buffer *ret)
{
	(void)data;
	for (int i = 0; i < BUFFERS; i++)
		if (address - address_of(i) < BUFFER_BYTES) {
			*ret = (struct machine_buffer){ .address = address_of(i),
							.size = BUFFER_BYTES,
							.bytes = bytes[i] };
			return true;
		}
	return false;
}

static const struct machine_memory memory = { .find = find,
					      .nearest = find,
					      .generation = &generation };

static void start(unsigned threads)
{
	struct error err = ERROR_INIT;

	host_threads = threads;
	if (bytes[0])
		return;
	if (compiler_init(&compiler, &err))
		shapes_fail("%s", err.text);
	for (int i = 0; i < BUFFERS; i++) {
		bytes[i] = aligned_alloc(4096, BUFFER_BYTES);
		if (!bytes[i])
			shapes_fail("out of memory");
	}
}

static void load(void)
{
	struct error err = ERROR_INIT;

	ptx_module_free(module);
	module = ptx_module_load(buffer_text(&ptx), ptx.len, &machine_ptx, &err);
	if (!module)
		shapes_fail("the machine does not take the PTX: %s", err.text);
}

static void compile(const struct shape *s, const char *folder, unsigned variant)
{
	char *text = shapes_read(folder, "shapes.cu");
	struct compile_request request = { .cell = 1,
					   .cell_name = "shapes.cu",
					   .cflags = "",
					   .nvflags = "-fmad=false",
					   .sm = 75 };
	struct compile_result result;
	struct buffer cell = BUFFER_INIT;
	struct error err = ERROR_INIT;
	struct unit unit;

	buffer_printf(&cell, "#define SHAPE_%s\n#define VARIANT %u\n#line 1\n%s", s->name, variant,
		      text);
	request.text = buffer_text(&cell);
	buffer_clear(&ptx);
	if (compiler_compile(&compiler, &request, &result, &err))
		shapes_fail("shapes.cu, %s: %s", s->name, err.text);
	if (!result.ok)
		shapes_fail("shapes.cu, %s: %s", s->name, buffer_text(&result.all));
	if (unit_decode(result.unit.data, result.unit.len, &unit, &err))
		shapes_fail("shapes.cu, %s: %s", s->name, err.text);
	buffer_append(&ptx, unit.ptx, unit.ptx_len);
	unit_release(&unit);
	compile_result_release(&result);
	load();
	buffer_release(&cell);
	free(text);
}

static size_t pack(const struct shape *s, uint8_t *to)
{
	size_t at = 0;

	for (size_t i = 0; i < s->argument_count; i++) {
		const struct argument *a = &s->arguments[i];
		uint64_t address = address_of(a->i);
		size_t size = a->kind == ARGUMENT_BUFFER ? 8 : 4;

		at = (at + size - 1) / size * size;
		memcpy(to + at,
		       a->kind == ARGUMENT_BUFFER  ? (const void *)&address
		       : a->kind == ARGUMENT_FLOAT ? (const void *)&a->f
						   : (const void *)&a->i,
		       size);
		at += size;
	}
	return at;
}

static void launch(const struct shape *s)
{
	uint8_t params[8 * ARGUMENTS_MAX];
	struct machine_launch l = {
		.kernel = ptx_module_function(module, s->name),
		.grid = { s->grid[0], s->grid[1], 1 },
		.block = { s->block[0], s->block[1], 1 },
		.params = params,
		.params_size = pack(s, params),
		.memory = &memory,
		.threads = host_threads,
	};
	struct race_options options = { .warnings = true, .unplanned = checking == CHECK_ALL };
	struct race *race = checking ? race_new(&options) : NULL;
	struct observer *observers[] = { race ? race_observer(race) : NULL };
	struct error err = ERROR_INIT;
	struct gpu_fault fault;

	l.observers = observers;
	l.observer_count = race ? 1 : 0;
	if (!l.kernel || machine_launch(&l, &fault, &stats, &err))
		shapes_fail("%s did not run on the machine: %s", s->name, err.text);
	race_free(race);
}

void machine_side_check(enum check what)
{
	checking = what;
}

static void write_buffer(int buffer, const void *from)
{
	memcpy(bytes[buffer], from, BUFFER_BYTES);
}

static void read_buffer(int buffer, void *to)
{
	memcpy(to, bytes[buffer], BUFFER_BYTES);
}

/* What was launched often is hot: interpreted again from here. */
static void renew(const struct shape *s)
{
	struct error err = ERROR_INIT;

	load();
	if (ptx_function_prepare(ptx_module_function(module, s->name), &err))
		shapes_fail("%s: %s", s->name, err.text);
}

static void heat(const struct shape *s)
{
	struct ptx_function *f = ptx_module_function(module, s->name);
	struct error err = ERROR_INIT;

	if (f->body->program && f->body->program->hot)
		return;
	renew(s);
	if (hot_compile(ptx_module_function(module, s->name)->body->program, &err) < 0)
		shapes_fail("%s: %s", s->name, err.text);
}

uint64_t machine_side_operations(const struct shape *s)
{
	load();
	ptx_module_keep_plain(module);
	launch(s);
	load();
	return stats.warp_instructions;
}

const char *machine_side_device(void)
{
	return core_name();
}

const struct side machine_side = { start, compile, renew, write_buffer, launch, read_buffer };
const struct side hot_side = { start, compile, heat, write_buffer, launch, read_buffer };
