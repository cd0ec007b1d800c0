/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PTX front end: any text is loaded as a module, its variables placed, and every function
 * decoded. The seeds are files of ptx-seeds.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "emulator/decode/ptx-function.h"
#include "emulator/launch/machine-launch.h"
#include "emulator/ptx/ptx-syntax.h"
#include "emulator/warp/exec.h"
#include "tests/fuzz/fuzz.h"

#define PLACED_MAX (1u << 20)

struct placed {
	uint64_t next;
	void *bytes[64];
	int count;
};

static int place(void *data, const struct ptx_variable *v, uint64_t *ret_address, void **ret_bytes,
		 struct error *err)
{
	struct placed *p = data;

	if (p->count == 64 || v->size > PLACED_MAX)
		return error_set(err, ERROR_MEMORY, "too much for a test");
	*ret_bytes = p->bytes[p->count] = calloc(1, v->size + 1);
	if (!*ret_bytes)
		return error_set(err, ERROR_MEMORY, "out of memory");
	p->count++;
	*ret_address = p->next;
	p->next += (v->size + 511) / 256 * 256;
	return 0;
}

static bool one(const uint8_t *data, size_t size)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct placed p = { .next = 0x300000000000ull };
	struct ptx_placer placer = { .data = &p, .place = place };
	struct error err = ERROR_INIT;
	struct ptx_module *m;
	bool taken;

	buffer_append(&text, data, size);
	m = ptx_module_load(buffer_text(&text), size, &machine_ptx, &err);
	taken = m != NULL;
	/* One that names what only another module has can be read, but not placed or prepared. */
	if (m && !ptx_module_place(m, &placer, &err))
		for (size_t i = 0; i < m->function_count; i++)
			ptx_function_prepare(m->functions[i], &err);
	ptx_module_free(m);
	for (int i = 0; i < p.count; i++)
		free(p.bytes[i]);
	return taken;
}

static bool seed(unsigned i, struct buffer *to)
{
	static const char *const names[] = { "calls", "odd", "shared", "slowpath", "switch" };
	char path[4096];

	if (i >= sizeof(names) / sizeof(names[0]))
		return false;
	snprintf(path, sizeof(path), "%s/%s.ptx", PTX_SEEDS, names[i]);
	fuzz_read(path, to);
	return true;
}

const struct fuzz_target fuzz_ptx = { one, seed, 5000 };
