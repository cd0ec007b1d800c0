/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows have the layout of driver 575 and later. Of threads only those are written that have
 * faulted; registers and memory are not, as in a dump of a GPU that leaves them out.
 */
#include "emulator/driver/device/dump-writer.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/error.h"
#include "emulator/driver/device/gpu.h"
#include "emulator/report/code-image.h"
#include "emulator/report/elf-writer.h"
#include "emulator/report/gpu-fault.h"
#include "emulator/warp/machine.h"

#define OS_CUDA 0x33
#define WARP_LANES 32
/* Code seems to lie here; nothing else of the emulated device does. */
#define CODE_ADDRESS 0x7f5000000000ull

#define CONTEXT_ID 1
#define MODULE_ID 1
#define GRID_ID 1
#define GRID_ACTIVE 2

/* Kinds of sections: CUDBG_SHT_*. */
enum section {
	SECTION_RELOCATED_IMAGE = 0x80000007,
	SECTION_CALLS,
	SECTION_DEVICES,
	SECTION_CONTEXTS,
	SECTION_MULTIPROCESSORS,
	SECTION_GRIDS,
	SECTION_BLOCKS,
	SECTION_WARPS,
	SECTION_LANES,
	SECTION_MODULES,
	SECTION_META = 0x80000016,
};

struct device_row {
	uint64_t name, type, sm_type; /* in the string table */
	uint32_t id, pci_bus, pci_device, multiprocessors, warps, lanes, registers, predicates,
		major, minor, instruction_size, status, uniform_registers, uniform_predicates,
		barriers, pad;
};

struct context_row {
	uint64_t id, shared_base, local_base, global_base;
	uint32_t device, thread;
};

struct module_row {
	uint64_t handle;
};

struct grid_row {
	uint64_t id, context, function, entry_address, module, parent, params_offset;
	uint32_t kernel_type, origin, status, registers, grid[3], block[3], blocking, thread,
		cluster[3], pad0, preferred_cluster[3], pad1;
};

struct multiprocessor_row {
	uint32_t id, pad, exception, error_pc_valid;
	uint64_t error_pc;
	uint32_t target_valid, target[3];
};

struct block_row {
	uint64_t grid;
	uint32_t index[3], pad0, cluster[3], pad1, cluster_size[3], pad2;
};

struct warp_row {
	uint64_t error_pc;
	uint32_t id, valid, active, broken, error_pc_valid, pad0, registers, pad1, shared_size,
		pad2, in_syscall, cbu_active, cbu_exited, cbu_collective;
};

struct lane_row {
	uint64_t pc, offset;
	uint32_t lane, thread[3], exception, depth, syscall_depth, condition, state, pad;
};

struct call_row {
	uint64_t offset, address;
	uint32_t level, pad;
};

struct meta_row {
	uint64_t generator;
	uint32_t driver_major, driver_minor, cuda_major, cuda_minor, flags, time;
};

struct dump {
	struct elf_writer elf;
	const struct gpu_fault *fault;
	const struct machine_launch *launch;
	struct code_image code;
	struct buffer strings;
	uint64_t pc;
	uint32_t first_lane; /* thread of its block, counted */
};

/* A table that belongs to row `info` of the section `link`. */
static uint32_t add(struct dump *d, const char *name, enum section type, uint32_t link,
		    uint32_t info, const void *rows, size_t size, size_t count)
{
	const Elf64_Shdr s = {
		.sh_type = type, .sh_link = link, .sh_info = info, .sh_entsize = size
	};

	return elf_writer_add(&d->elf, name, &s, rows, size * count);
}

static uint64_t string(struct dump *d, const char *text)
{
	uint64_t at = d->strings.len;

	buffer_append(&d->strings, text, strlen(text) + 1);
	return at;
}

static uint32_t add_device(struct dump *d)
{
	char target[8];

	snprintf(target, sizeof(target), "sm_%d", gpu.capability);

	const struct device_row row = {
		.name = string(d, GPU_NAME),
		.type = string(d, "emulated"),
		.sm_type = string(d, target),
		.multiprocessors = 1,
		.warps = 1,
		.lanes = WARP_LANES,
		.registers = 255,
		.predicates = 7,
		.major = (uint32_t)gpu.capability / 10,
		.minor = (uint32_t)gpu.capability % 10,
		.instruction_size = CODE_IMAGE_STEP,
	};

	return add(d, ".cudbg.devtbl", SECTION_DEVICES, 0, 0, &row, sizeof(row), 1);
}

static int add_code(struct dump *d, uint32_t devices, struct error *err)
{
	const struct context_row context = { .id = CONTEXT_ID };
	const struct module_row module = { MODULE_ID };
	cleanup_buffer struct buffer image = BUFFER_INIT;
	uint32_t contexts, modules;

	if (code_image_build(&d->code, &image, err))
		return -1;
	contexts = add(d, ".cudbg.ctxtbl.dev0", SECTION_CONTEXTS, devices, 0, &context,
		       sizeof(context), 1);
	modules = add(d, ".cudbg.modtbl.dev0.ctx0", SECTION_MODULES, contexts, 0, &module,
		      sizeof(module), 1);
	add(d, ".cudbg.relfimg.dev0.ctx0", SECTION_RELOCATED_IMAGE, modules, 0, image.data, 1,
	    image.len);
	return 0;
}

static void add_grid(struct dump *d, uint32_t devices)
{
	struct grid_row row = {
		.id = GRID_ID,
		.context = CONTEXT_ID,
		.function = d->code.address,
		.entry_address = d->code.address,
		.module = MODULE_ID,
		.status = GRID_ACTIVE,
		.registers = d->launch->kernel->registers,
		.cluster = { 1, 1, 1 },
		.preferred_cluster = { 1, 1, 1 },
	};

	memcpy(row.grid, d->launch->grid, sizeof(row.grid));
	memcpy(row.block, d->launch->block, sizeof(row.block));
	add(d, ".cudbg.gridtbl.dev0", SECTION_GRIDS, devices, 0, &row, sizeof(row), 1);
}

static uint32_t count_lanes(const struct dump *d)
{
	return (uint32_t)__builtin_popcount(d->fault->lanes);
}

static void add_lanes(struct dump *d, uint32_t warps)
{
	const uint32_t *block = d->launch->block;
	struct lane_row rows[WARP_LANES] = { 0 };
	uint32_t n = 0, lanes;

	for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
		uint32_t at = d->first_lane + lane;

		if (!(d->fault->lanes >> lane & 1))
			continue;
		rows[n++] = (struct lane_row){
			.pc = d->pc,
			.offset = d->fault->offset,
			.lane = lane,
			.thread = { at % block[0], at / block[0] % block[1],
				    at / block[0] / block[1] },
			.exception = gpu_fault_exception(d->fault->kind),
			.depth = d->fault->caller_count + 1,
		};
	}
	lanes = add(d, ".cudbg.lntbl.dev0.sm0.cta0.wp0", SECTION_LANES, warps, 0, rows,
		    sizeof(rows[0]), n);
	/* All of them came by the same calls, so the first one stands for them. */
	if (n && d->fault->caller_count) {
		struct call_row calls[GPU_FAULT_CALLERS] = { 0 };

		for (uint32_t i = 0; i < d->fault->caller_count; i++) {
			const struct gpu_fault_caller *c = &d->fault->callers[i];

			calls[i] = (struct call_row){
				c->offset, code_image_address(&d->code, c->function, c->offset), i,
				0
			};
		}
		add(d, ".cudbg.bt.dev0.sm0.cta0.wp0.ln0", SECTION_CALLS, lanes, 0, calls,
		    sizeof(calls[0]), d->fault->caller_count);
	}
}

static void add_threads(struct dump *d, uint32_t devices)
{
	const struct multiprocessor_row multiprocessor = { .exception = gpu_fault_exception(
								   d->fault->kind),
							   .error_pc_valid = 1,
							   .error_pc = d->pc };
	struct block_row block = { .grid = GRID_ID, .cluster_size = { 1, 1, 1 } };
	const struct warp_row warp = { .error_pc = d->pc,
				       .error_pc_valid = 1,
				       .valid = d->fault->lanes,
				       .active = d->fault->lanes,
				       .registers = d->launch->kernel->registers };
	uint32_t multiprocessors, blocks, warps;

	memcpy(block.index, d->fault->block, sizeof(block.index));
	multiprocessors = add(d, ".cudbg.smtbl.dev0", SECTION_MULTIPROCESSORS, devices, 0,
			      &multiprocessor, sizeof(multiprocessor), 1);
	blocks = add(d, ".cudbg.ctatbl.dev0.sm0", SECTION_BLOCKS, multiprocessors, 0, &block,
		     sizeof(block), 1);
	warps = add(d, ".cudbg.wptbl.dev0.sm0.cta0", SECTION_WARPS, blocks, 0, &warp, sizeof(warp),
		    1);
	if (count_lanes(d))
		add_lanes(d, warps);
}

static void add_meta(struct dump *d, int flags)
{
	const struct meta_row row = {
		.generator = string(d, GPU_NAME),
		.cuda_major = GPU_DRIVER_VERSION / 1000,
		.cuda_minor = GPU_DRIVER_VERSION % 1000 / 10,
		.flags = (uint32_t)flags,
		.time = (uint32_t)time(NULL),
	};

	add(d, ".cudbg.meta", SECTION_META, 0, 0, &row, sizeof(row), 1);
}

static int build(struct dump *d, int flags, struct error *err)
{
	uint32_t devices;

	buffer_putc(&d->strings, 0);
	devices = add_device(d);
	if (add_code(d, devices, err))
		return -1;
	add_grid(d, devices);
	add_threads(d, devices);
	add_meta(d, flags);
	elf_writer_add(&d->elf, ".strtab", &(Elf64_Shdr){ .sh_type = SHT_STRTAB }, d->strings.data,
		       d->strings.len);
	return buffer_check(&d->strings, err) ? -1 : elf_writer_end(&d->elf, err);
}

static void find_code(struct dump *d)
{
	const struct gpu_fault *f = d->fault;
	const uint32_t *block = d->launch->block;

	d->code.address = CODE_ADDRESS;
	code_image_add(&d->code, d->launch->kernel);
	code_image_add(&d->code, ptx_module_function(d->launch->kernel->module, f->function));
	for (uint32_t i = 0; i < f->caller_count; i++)
		code_image_add(&d->code, ptx_module_function(d->launch->kernel->module,
							     f->callers[i].function));
	d->pc = code_image_address(&d->code, f->function, f->offset);
	d->first_lane = ((f->thread[2] * block[1] + f->thread[1]) * block[0] + f->thread[0]) /
			WARP_LANES * WARP_LANES;
}

static int write_file(const char *path, const struct buffer *bytes, struct error *err)
{
	FILE *out = fopen(path, "wbe");
	bool failed;

	if (!out)
		return error_errno(err, "cannot write %s", path);
	failed = fwrite(bytes->data, 1, bytes->len, out) != bytes->len;
	if (fclose(out) || failed)
		return error_errno(err, "cannot write %s", path);
	return 0;
}

int dump_write(const char *path, int flags, const struct gpu_fault *f,
	       const struct machine_launch *l, struct error *err)
{
	struct dump d = { .fault = f, .launch = l, .strings = BUFFER_INIT };
	int ret;

	find_code(&d);
	elf_writer_init(&d.elf, ET_CORE, OS_CUDA);
	ret = build(&d, flags, err);
	if (!ret)
		ret = write_file(path, &d.elf.bytes, err);
	elf_writer_release(&d.elf);
	buffer_release(&d.strings);
	return ret;
}
