/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does the card give what make-opcode-vectors.py has computed for each PTX operation? The emulated
 * device is tested against the same rows, so where they differ from a card, it does, too.
 */
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "tests/gpu/experiment.h"
#include "tests/gpu/gpu.h"
#include "tests/ptx/opcode-entry.h"

#define LANES 992
#define TOLD_MAX 30 /* rows for forms that differ */
#define NAMES_MAX 700

struct opcodes {
	int target; /* sm_NN */
	CUdeviceptr cells;
	struct opcode_cell host[LANES];
	unsigned n, wrong, told, refused;
	char names[NAMES_MAX]; /* forms that the driver does not take */
};

static void open_device(struct opcodes *o)
{
	int major, minor;

	gpu_open();
	GPU_TRY(cu.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
	GPU_TRY(cu.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
	o->target = 10 * major + minor;
	GPU_TRY(cu.cuMemAlloc(&o->cells, sizeof(o->host)));
}

static void note_refused(struct opcodes *o, const char *form)
{
	size_t len = strlen(o->names);

	o->refused++;
	snprintf(o->names + len, sizeof(o->names) - len, "%s%s", len ? ", " : "", form);
}

/* Do the operation with the first `lanes` cells, whose operands are there. 0, or -1: the driver
 * does not take the form. */
static int run_form(struct opcodes *o, const struct opcode_vector *v, size_t lanes)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	void *parameters[] = { &o->cells };
	CUfunction function;
	CUmodule module;

	buffer_printf(&text, ".version 9.0\n.target sm_%d\n.address_size 64\n", o->target);
	opcode_entry_write(&text, v, OPCODE_ALL);
	if (cu.cuModuleLoadData(&module, buffer_text(&text))) {
		note_refused(o, v->form);
		return -1;
	}
	GPU_TRY(cu.cuModuleGetFunction(&function, module, "k"));
	GPU_TRY(cu.cuMemcpy(o->cells, (CUdeviceptr)(uintptr_t)o->host, lanes * sizeof(*o->host)));
	GPU_TRY(cu.cuLaunchKernel(function, 1, 1, 1, (unsigned)lanes, 1, 1, 0, NULL, parameters,
				  NULL));
	GPU_TRY(cu.cuMemcpy((CUdeviceptr)(uintptr_t)o->host, o->cells, lanes * sizeof(*o->host)));
	GPU_TRY(cu.cuModuleUnload(module));
	o->n += (unsigned)lanes;
	return 0;
}

static void check_vectors(struct opcodes *o, const struct opcode_vector *v, size_t n)
{
	uint64_t mask = opcode_mask(v->signature[0]);
	size_t wrong = 0, first = 0;

	for (size_t i = 0; i < n; i++) {
		memcpy(o->host[i].in, v[i].in, sizeof(o->host[i].in));
		o->host[i].out = 0;
	}
	if (run_form(o, v, n))
		return;
	for (size_t i = n; i-- > 0;)
		if ((o->host[i].out ^ v[i].result) & mask) {
			wrong++;
			first = i;
		}
	o->wrong += (unsigned)wrong;
	if (wrong && o->told++ < TOLD_MAX)
		row("NO", v->form,
		    "%zu of %zu; (0x%llx, 0x%llx, 0x%llx, 0x%llx) gives 0x%llx, not "
		    "0x%llx",
		    wrong, n, (unsigned long long)v[first].in[0],
		    (unsigned long long)v[first].in[1], (unsigned long long)v[first].in[2],
		    (unsigned long long)v[first].in[3],
		    (unsigned long long)(o->host[first].out & mask),
		    (unsigned long long)(v[first].result & mask));
}

static void check_bounds(struct opcodes *o, const struct opcode_bound *b, size_t n)
{
	const struct opcode_vector v = { .form = b->form, .signature = b->signature };
	size_t wrong = 0, first = 0;

	for (size_t i = 0; i < n; i++) {
		memcpy(o->host[i].in, b[i].in, sizeof(b[i].in));
		o->host[i].out = 0;
	}
	if (run_form(o, &v, n))
		return;
	for (size_t i = n; i-- > 0;)
		if (!opcode_within(&b[i], o->host[i].out)) {
			wrong++;
			first = i;
		}
	o->wrong += (unsigned)wrong;
	if (wrong && o->told++ < TOLD_MAX)
		row("NO", b->form,
		    "%zu of %zu; (0x%llx, 0x%llx) gives 0x%llx, allowed %.9g to %.9g", wrong, n,
		    (unsigned long long)b[first].in[0], (unsigned long long)b[first].in[1],
		    (unsigned long long)o->host[first].out, b[first].low, b[first].high);
}

static void check_all(void *arg)
{
	struct opcodes *o = arg;

	open_device(o);
	for (size_t i = 0, n; i < opcode_vectors_n; i += n) {
		n = opcode_run(&opcode_vectors[i], LANES);
		check_vectors(o, &opcode_vectors[i], n);
	}
	for (size_t i = 0, n; i < opcode_bounds_n; i += n) {
		n = opcode_run_of_bounds(&opcode_bounds[i], LANES);
		check_bounds(o, &opcode_bounds[i], n);
	}
	row(ok(!o->wrong && o->n), "results of PTX operations", "%u of %u as they were computed",
	    o->n - o->wrong, o->n);
	if (o->refused)
		row("-", "PTX operations that the driver does not take", "%u for sm_%d: %s",
		    o->refused, o->target, o->names);
}

void experiment_opcodes(int what)
{
	static struct opcodes o;

	(void)what;
	child_run("results of PTX operations", check_all, &o);
}
