/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a fault, in the words and the shape of NVIDIA's compute-sanitizer where it has some.
 */
#include "emulator/report/gpu-fault.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/buffer.h"
#include "common/memory/address-map.h"
#include "emulator/ptx/machine-limits.h"
#include "emulator/report/function-name.h"
#include "emulator/report/source-line.h"

static const struct {
	const char *name, *text;
	int code;
	uint32_t exception;
} kinds[] = {
	[GPU_FAULT_NONE] = { "NONE", "", 0, 0 },
#define FAULT(symbol, code, exception, text)                                                       \
	[GPU_FAULT_##symbol] = { #symbol, text, code, exception },
#include "emulator/report/gpu-faults.def"
#undef FAULT
};

int gpu_fault_code(enum gpu_fault_kind kind)
{
	return kinds[kind].code;
}

uint32_t gpu_fault_exception(enum gpu_fault_kind kind)
{
	return kinds[kind].exception;
}

const char *gpu_fault_name(enum gpu_fault_kind kind)
{
	return kinds[kind].name;
}

static const char *space_name(enum ptx_space s)
{
	switch (s) {
	case PTX_SPACE_GLOBAL:
		return "__global__ ";
	case PTX_SPACE_SHARED:
		return "__shared__ ";
	case PTX_SPACE_LOCAL:
		return "__local__ ";
	case PTX_SPACE_CONST:
		return "__constant__ ";
	case PTX_SPACE_PARAM:
		return "parameter ";
	default:
		return "";
	}
}

static const char *access_name(enum gpu_access a)
{
	return a == GPU_ACCESS_WRITE ? "write" : a == GPU_ACCESS_ATOMIC ? "atomic" : "read";
}

/* 4194300 -> "4,194,300" */
static void group_digits(uint64_t v, char *ret, size_t size)
{
	char plain[32];
	int n = snprintf(plain, sizeof(plain), "%llu", (unsigned long long)v);
	size_t used = 0;

	for (int i = 0; i < n && used + 2 < size; i++) {
		if (i && (n - i) % 3 == 0)
			ret[used++] = ',';
		ret[used++] = plain[i];
	}
	ret[used] = '\0';
}

static void print_headline(const struct gpu_fault *f, struct buffer *out)
{
	buffer_puts(out, "========= ");
	if (f->kind == GPU_FAULT_UNINITIALIZED) {
		buffer_printf(
			out, "Uninitialized %smemory read of size %u bytes\n",
			space_name(f->space == PTX_SPACE_GENERIC ? PTX_SPACE_GLOBAL : f->space),
			f->size);
		return;
	}
	if (f->access == GPU_ACCESS_NONE) {
		buffer_puts(out, kinds[f->kind].text);
		if (f->kind == GPU_FAULT_ILLEGAL_INSTRUCTION)
			buffer_printf(out, ": `%s`", f->instruction);
		buffer_putc(out, '\n');
		return;
	}
	buffer_printf(out, "Invalid %s%s of size %u bytes\n", space_name(f->space),
		      access_name(f->access), f->size);
}

void gpu_fault_print_frames(const char *head, const struct ptx_lines_frame *frames, uint32_t count,
			    const char *function, uint32_t offset, const char *tail,
			    struct buffer *out)
{
	char name[FUNCTION_NAME_MAX];

	function_name(count ? frames[0].symbol : function, count ? frames[0].function : NULL, name);
	buffer_printf(out, "%s%s+0x%x", head, name, offset);
	if (count)
		buffer_printf(out, " in %s:%u", frames[0].file, frames[0].line);
	buffer_printf(out, "%s\n", tail);
	if (count)
		source_line_put(frames[0].file, frames[0].line, "=========         ", out);
	for (uint32_t i = 1; i < count; i++) {
		function_name(frames[i].symbol, frames[i].function, name);
		buffer_printf(out, "=========         called from %s in %s:%u\n", name,
			      frames[i].file, frames[i].line);
		source_line_put(frames[i].file, frames[i].line, "=========             ", out);
	}
}

static void print_place(const struct gpu_fault *f, struct buffer *out)
{
	gpu_fault_print_frames("=========     at ", f->frames, f->frame_count, f->function,
			       f->offset, "", out);
	buffer_printf(out, "=========     by thread (%u,%u,%u) in block (%u,%u,%u)\n", f->thread[0],
		      f->thread[1], f->thread[2], f->block[0], f->block[1], f->block[2]);
}

static void print_buffer(const struct gpu_fault *f, struct buffer *out)
{
	uint64_t end = f->buffer_address + f->buffer_size;
	char size[32], distance[32];
	const char *relation;

	group_digits(f->buffer_size, size, sizeof(size));
	if (f->address >= end) {
		group_digits(f->address - end + 1, distance, sizeof(distance));
		relation = " bytes after the nearest allocation";
	} else if (f->address < f->buffer_address) {
		group_digits(f->buffer_address - f->address, distance, sizeof(distance));
		relation = " bytes before the nearest allocation";
	} else {
		group_digits(f->address - f->buffer_address, distance, sizeof(distance));
		relation = f->freed ? " bytes inside an allocation that was freed"
				    : " bytes inside the allocation";
	}
	buffer_printf(out, "=========     and is %s%s", distance, relation);
	if (f->buffer_name[0])
		buffer_printf(out, " `%s`", f->buffer_name);
	buffer_printf(out, " at 0x%llx of size %s bytes", (unsigned long long)f->buffer_address,
		      size);
	if (f->buffer_tag)
		buffer_printf(out, " (cell %u", f->buffer_tag);
	if (f->freed && f->buffer_freed_tag)
		buffer_printf(out, "%sfreed in cell %u", f->buffer_tag ? ", " : " (",
			      f->buffer_freed_tag);
	buffer_puts(out, f->buffer_tag || (f->freed && f->buffer_freed_tag) ? ")\n" : "\n");
	if (f->unreachable)
		buffer_printf(out,
			      "=========     which is memory of device %d: this is device %d, for "
			      "which it is open after cudaDeviceEnablePeerAccess(%d, 0), memory of "
			      "a pool after cudaMemPoolSetAccess()\n",
			      f->buffer_device, f->device, f->buffer_device);
}

static void print_array(const struct gpu_fault *f, struct buffer *out)
{
	uint64_t offset = f->address >= MACHINE_SHARED_WINDOW ? f->address - MACHINE_SHARED_WINDOW
							      : f->address;
	uint64_t end = f->array_offset + f->array_size;
	char size[32], distance[32];
	const char *relation = "after";

	group_digits(f->array_size, size, sizeof(size));
	if (offset >= end) {
		group_digits(offset - end + 1, distance, sizeof(distance));
	} else if (offset < f->array_offset) {
		group_digits(f->array_offset - offset, distance, sizeof(distance));
		relation = "before";
	} else {
		group_digits(offset + f->size - end, distance, sizeof(distance));
		relation = "over the end of";
	}
	buffer_printf(out,
		      "=========     and is %s bytes %s __shared__ array `%s` of size %s bytes\n",
		      distance, relation, f->array_name, size);
}

static bool is_of_devices(uint64_t address)
{
	return address >= DEVICE_BASE && address < DEVICE_BASE + DEVICE_ALIAS_OFFSET + DEVICE_SIZE;
}

/* Is it memory of this process that is no device's? Small addresses and the device's own never are.
 */
static bool is_host(uint64_t address)
{
	unsigned char resident;

	if (address < ARENA_PAGE || is_of_devices(address))
		return false;
	return !mincore((void *)(uintptr_t)(address & ~(ARENA_PAGE - 1)), 1, &resident);
}

/* Past the end of a buffer, or in front of it: memory of the host may lie beside managed memory. */
static bool is_near(const struct gpu_fault *f)
{
	uint64_t end = f->buffer_address + f->buffer_size;
	uint64_t distance = 0;

	if (f->address >= end)
		distance = f->address - end;
	else if (f->address < f->buffer_address)
		distance = f->buffer_address - f->address;
	return f->has_buffer && (distance <= f->buffer_size || distance < ARENA_PAGE);
}

/* The place of the address: the buffer that is nearest says nothing of one that no device ever had.
 */
static void print_where(const struct gpu_fault *f, struct buffer *out)
{
	bool outside = f->kind == GPU_FAULT_ILLEGAL_ADDRESS && !f->unreachable && !is_near(f);

	if (outside && f->address < ARENA_PAGE && f->address)
		buffer_printf(out, "=========     and is a null pointer plus %llu\n",
			      (unsigned long long)f->address);
	else if (outside && !f->address)
		buffer_puts(out, "=========     and is a null pointer\n");
	else if (outside && f->reaches_host && !is_of_devices(f->address))
		buffer_puts(out, "=========     and nothing is there: no buffer, and no block, "
				 "variable or mapping of the host, which\n"
				 "=========     this device reaches (HMM)\n");
	else if (outside && is_host(f->address))
		buffer_puts(out,
			    "=========     and is memory of the host, which device code cannot "
			    "reach: copy it to the device with cudaMemcpy(),\n=========     or "
			    "allocate it with cudaMallocManaged()\n");
	else if (f->has_buffer)
		print_buffer(f, out);
}

static void print_address(const struct gpu_fault *f, struct buffer *out)
{
	bool shared = f->has_array || f->space == PTX_SPACE_SHARED;
	const char *what = "is out of bounds";

	if (f->kind == GPU_FAULT_MISALIGNED)
		what = "is misaligned";
	else if (f->kind == GPU_FAULT_ADDRESS_SPACE)
		what = "belongs to another state space";
	else if (f->unreachable)
		what = "belongs to another device";
	else if (f->read_only && f->has_buffer && f->address - f->buffer_address < f->buffer_size)
		what = "is read-only";
	buffer_printf(out, "=========     Address 0x%llx %s\n", (unsigned long long)f->address,
		      what);
	if (f->kind == GPU_FAULT_MISALIGNED)
		buffer_printf(out, "=========     and must be a multiple of %u\n", f->size);
	if (f->has_array && f->kind == GPU_FAULT_WINDOW)
		print_array(f, out);
	if (f->window && f->kind == GPU_FAULT_WINDOW) {
		char size[32];

		group_digits(f->window, size, sizeof(size));
		buffer_printf(out, "=========     and the %s of %s has %s bytes\n",
			      shared ? "shared memory" : "local memory",
			      shared ? "the block" : "the thread", size);
	}
	if (shared && !f->window && !f->has_array && f->kind == GPU_FAULT_WINDOW)
		buffer_puts(out, "=========     and the block has no shared memory: the launch "
				 "says how many bytes, as third value of\n"
				 "=========     <<<grid, block, bytes>>>\n");
	print_where(f, out);
	if (f->formula[0])
		buffer_printf(out, "=========     The address is %s\n", f->formula);
	for (uint32_t i = 0; i < f->value_count; i++)
		buffer_printf(out, "=========         %s\n", f->values[i].text);
}

/* `d_x` (cell 2), 12 bytes from its start */
static void print_object(const struct gpu_fault *f, struct buffer *out)
{
	uint64_t start = f->has_array ? f->array_offset : f->buffer_address;
	uint64_t at = f->has_array && f->address >= MACHINE_SHARED_WINDOW
			      ? f->address - MACHINE_SHARED_WINDOW
			      : f->address;
	char distance[32];

	if (!f->has_array && !f->has_buffer)
		return;
	group_digits(at - start, distance, sizeof(distance));
	if (f->has_array)
		buffer_printf(out, " in `%s`", f->array_name);
	else if (f->buffer_name[0])
		buffer_printf(out, " in `%s`", f->buffer_name);
	else
		buffer_puts(out, " in an allocation");
	if (f->has_buffer && f->buffer_tag)
		buffer_printf(out, " (cell %u)", f->buffer_tag);
	buffer_printf(out, ", %s bytes from its start", distance);
}

static void print_unwritten(const struct gpu_fault *f, struct buffer *out)
{
	static const char *const uses[] = {
		[TAINT_USE_NONE] = "is used",
		[TAINT_USE_BRANCH] = "decides a branch",
		[TAINT_USE_ADDRESS] = "is used as an address",
		[TAINT_USE_ATOMIC] = "takes part in an atomic operation",
		[TAINT_USE_LANE] = "chooses a lane",
		[TAINT_USE_PRINT] = "is printed",
		[TAINT_USE_HOST] = "goes into what is stored",
	};

	buffer_printf(out, "=========     Address 0x%llx", (unsigned long long)f->address);
	print_object(f, out);
	buffer_puts(
		out,
		f->computed
			? "; what is there was worked out from memory that nothing has written\n"
			: "; nothing has written there\n");
	buffer_printf(out, "=========     and the value %s", uses[f->use]);
	if (f->use_place.line)
		buffer_printf(out, " in %s:%u", f->use_place.file, f->use_place.line);
	buffer_putc(out, '\n');
	if (f->use_place.line && !(f->frame_count && f->frames[0].line == f->use_place.line &&
				   !strcmp(f->frames[0].file, f->use_place.file)))
		source_line_put(f->use_place.file, f->use_place.line, "=========         ", out);
}

static void print_waits(const struct gpu_fault *f, struct buffer *out)
{
	for (uint32_t i = 0; i < f->wait_count; i++) {
		const struct gpu_fault_wait *w = &f->waits[i];

		buffer_printf(out, "=========     %u thread%s %s `%s`", w->threads,
			      w->threads == 1 ? "" : "s",
			      w->spins          ? (w->threads == 1 ? "loops at" : "loop at")
			      : w->threads == 1 ? "waits at"
						: "wait at",
			      w->instruction);
		if (w->line)
			buffer_printf(out, " in %s:%u", w->file, w->line);
		buffer_puts(out, "\n");
		if (w->line && !(f->frame_count && f->frames[0].line == w->line &&
				 !strcmp(f->frames[0].file, w->file)))
			source_line_put(w->file, w->line, "=========         ", out);
	}
}

void gpu_fault_print(const struct gpu_fault *f, struct buffer *out)
{
	print_headline(f, out);
	print_place(f, out);
	if (f->kind == GPU_FAULT_UNINITIALIZED)
		print_unwritten(f, out);
	else if (f->access != GPU_ACCESS_NONE)
		print_address(f, out);
	if (f->note[0])
		buffer_printf(out, "=========     %s\n", f->note);
	print_waits(f, out);
}
