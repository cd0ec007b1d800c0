/* SPDX-License-Identifier: Apache-2.0 */
/* Cells begin and end, and what the rest of the worker asks is handed to the room that knows. The
 * choice of a driver: device-open.c; how a session is taken over: device-attach.c. */
#include "runtime/cuda/device.h"
#include "runtime/arena/layout-hash.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/code/unit.h"
#include "common/memory/address-map.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/code/device-code.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/exports/cudart-table.h"
#include "runtime/cuda/libcuda/libcuda.h"
#include "runtime/cuda/libcuda/library-handles.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/memory/library-memory.h"
#include "runtime/cuda/memory/vmm-pool.h"
#include "runtime/cuda/memory/watch.h"
#include "runtime/cuda/reports/call-errors.h"
#include "runtime/cuda/reports/device-audit.h"
#include "runtime/cuda/reports/device-dump.h"
#include "runtime/cuda/reports/device-fault.h"
#include "runtime/cuda/reports/range-report.h"
#include "runtime/cuda/reports/trace.h"
#include "runtime/cuda/rollback/checksum-audit.h"
#include "runtime/cuda/rollback/images.h"
#include "runtime/cuda/rollback/preimage.h"
#include "runtime/cuda/session/device-wait.h"
#include "runtime/cuda/session/pinning.h"
#include "runtime/cuda/session/session.h"
#include "runtime/cuda/session/source-text.h"

/* Whether threads of the driver may begin what streams hold. */
static void let_driver_work(bool on)
{
	if (device.driver->extension)
		device.driver->extension->pause(!on);
}

void device_rollback_cost(struct device_rollback_cost *ret)
{
	preimage_cost(&ret->saved_bytes, &ret->saved_ns);
	checksum_audit_cost(&ret->read_bytes, &ret->read_ns);
}

void device_set_rollback(unsigned mode)
{
	device.rollback =
		mode < DEVICE_ROLLBACKS ? (enum device_rollback)mode : DEVICE_ROLLBACK_FULL;
}

/* A cap above what the device has is no cap. */
void device_set_limit(uint64_t limit)
{
	device.limit = limit && limit < device.info.memory ? limit : device.info.memory;
	watch_renew();
}

/* Copies `size` bytes, or with from 0 fills them with zeros, and waits for it. */
static int copy(CUdeviceptr to, CUdeviceptr from, size_t size, struct error *err)
{
	CUresult result = CUDA_ERROR_NOT_INITIALIZED;

	if (!device.usable)
		return error_set(err, ERROR_UNSUPPORTED, "device memory cannot be reached: %s",
				 device.info.problem);
	device.host->enter_library();
	result = device_enter();
	if (!result)
		result = device_note(from ? device.driver->cuMemcpy(to, from, size)
					  : device.driver->cuMemsetD8(to, 0, size));
	if (!result && !from)
		result = device_note(device.driver->cuCtxSynchronize());
	device.host->leave_library();
	return result ? error_set(err, ERROR_SYSTEM, "device memory cannot be %s: driver error %d",
				  from ? "copied" : "filled", (int)result)
		      : 0;
}

int device_read(uint64_t address, void *ret, size_t size, struct error *err)
{
	const struct emulator_extension *x = device.driver ? device.driver->extension : NULL;
	int rc;

	if (x)
		x->quiet(1);
	rc = copy((uintptr_t)ret, address, size, err);
	if (x)
		x->quiet(0);
	return rc;
}

int device_write(uint64_t address, const void *bytes, size_t size, struct error *err)
{
	return copy(address, (uintptr_t)bytes, size, err);
}

bool device_has(uint64_t address)
{
	return vmm_pool_is_mapped(address);
}

int device_clear(uint64_t address, size_t size, struct error *err)
{
	return copy(address, 0, size, err);
}

/* As cells have left it with cudaSetDevice(), if there still is one. */
static int first_device(void)
{
	if (!device.session)
		return device_current();
	return device.session->current_device < device.count ? device.session->current_device : 0;
}

void device_cell_begin(uint32_t cell, uint32_t checks)
{
	device.cell = cell;
	preimage_cell_begin();
	checksum_audit_cell_begin();
	preimage_reset();
	preimage_watch();
	if (device.driver && device.driver->extension)
		device.driver->extension->begin();
	if (device.usable)
		let_driver_work(true);
	if (device.usable && device.driver->extension)
		device.driver->extension->check_begin(checks);
	if (device.session)
		device.session->serial++;
	device_begin_cells(first_device());
	ledger_cell_begin();
	range_report_cell_begin();
	call_errors_cell_begin();
	library_handles_cell_begin();
}

void device_cell_text(const char *text)
{
	source_text_begin(device.cell, text);
}

/* With the first device code: whoever has a GPU expects it there, and for himself. */
static void tell_of_device(void)
{
	char text[sizeof(device.info.passed_over) + 128] = "";

	if (device.session->told_driver)
		return;
	if (device.info.passed_over[0])
		snprintf(text, sizeof(text),
			 "NVIDIA's driver is not used on this machine: %s. Cells run on the "
			 "emulated device; see %%doctor\n",
			 device.info.passed_over);
	else if (device.info.traits & DEVICE_MPS)
		snprintf(text, sizeof(text),
			 "cells share the GPU with other programs by MPS: a fault of one of them "
			 "ends the cell that runs; see %%doctor\n");
	if (!*text)
		return;
	device.host->enter_library();
	device_print(true, text, strlen(text));
	device.host->leave_library();
	device.session->told_driver = true;
}

int device_load(const struct unit *u, struct error *err)
{
	int ret;

	if (device.usable && device.session) {
		device_lock();
		source_text_keep_of(u);
		device_unlock();
	}
	if (!u->ptx_len)
		return 0;
	if (!device.usable)
		return error_set(err, ERROR_UNSUPPORTED,
				 "this cell has device code, but %s. Cells that use no device work "
				 "as before",
				 device.info.problem);
	tell_of_device();
	device.host->enter_library();
	device_lock();
	ret = device_enter() ? error_set(err, ERROR_SYSTEM, "the CUDA context is gone")
			     : device_code_load(u, err);
	device_unlock();
	device.host->leave_library();
	return ret;
}

/*
 * Poll a real device first: a blocking synchronise would never come back from a kernel that never
 * ends, and could not be left. The emulated one runs what is left in this call.
 */
static CUresult wait_idle(void)
{
	CUresult result = CUDA_SUCCESS;
	int before = device_current();

	device.host->enter_device();
	if (!device.driver->extension)
		result = device_wait_streams(-1);
	for (int i = 0; i < device.count && !result; i++)
		if (device.contexts[i].handle && !(result = device_switch(i))) {
			result = device.driver->cuCtxSynchronize();
			if (!result && i == 0)
				result = device_dump_wait();
		}
	device_switch(before);
	device.host->leave_device();
	return device_note(result);
}

void device_unusable_ename(char *ret, size_t size)
{
	device_fault_ename(device.unusable, ret, size);
}

/* All that this cell has done to the device becomes the session's; device.lock is held. */
static void settle(void)
{
	device.session->library_bytes =
		library_memory_bytes(-1) - library_memory_bytes_of(LIBRARY_LIMIT, -1);
	library_memory_tell();
	ledger_settle();
	vmm_pool_settle();
	vmm_pool_drop_scratch();
	preimage_reset();
	/* A thread of the cell may have given the device something new to do: that is for the time
	 * after the commit. */
	let_driver_work(false);
}

int device_checkpoint_begin(void)
{
	if (!device.usable || !device.session)
		return 0;
	if (!device.sticky && !device_enter())
		wait_idle();
	if (device.sticky)
		return -1;
	libcuda_settle();
	device_lock();
	device_note(images_settle());
	if (!device.sticky)
		settle();
	device_unlock();
	return device.sticky ? -1 : 0;
}

void device_checkpoint_end(void)
{
	if (!device.session)
		return;
	device_lock();
	device.session->serial++;
	preimage_watch();
	device_unlock();
}

static void look_after_suspend(struct buffer *report)
{
	if (device.driver->extension || device.sticky || device_enter())
		return;
	device_lock();
	checksum_audit_after_suspend(report);
	device_unlock();
}

int device_cell_end(struct buffer *warnings, struct fault_record *fault)
{
	CUresult result = CUDA_SUCCESS;
	int ret = 0;

	library_handles_warnings(warnings);
	if (!device.usable || !device.session) {
		call_errors_warnings(warnings);
		return 0;
	}
	device.host->enter_library();
	if (!device.sticky && !device_enter())
		wait_idle();
	if (device.driver->extension)
		device.driver->extension->check_end();
	libcuda_settle();
	if (!device.sticky)
		device_audit(warnings);
	look_after_suspend(warnings);
	device_lock();
	if (!device.sticky)
		result = device_note(images_settle());
	if (result || device.sticky) {
		device_fault_fill(result ? result : (CUresult)device.sticky, fault);
		ret = -1;
	} else if (ledger_refusal_unchecked()) {
		device_fault_fill_refusal(fault);
		ret = -1;
	} else {
		call_errors_warnings(warnings);
		if (ledger_refusal_unsaid())
			buffer_puts(warnings, ledger_refusal());
		settle();
		watch_renew();
	}
	device_unlock();
	device.host->leave_library();
	return ret;
}

void device_cell_committed(struct record *waiting)
{
	if (!device.usable)
		return;
	device.host->enter_library();
	device_lock();
	for (uint32_t n = waiting ? record_count(waiting, 8) : 0; n; n--)
		vmm_pool_keep(record_u64(waiting));
	vmm_pool_committed();
	let_driver_work(true);
	device_unlock();
	device.host->leave_library();
}

/* With the driver, if the context can still be entered. */
static void in_context(void (*work)(void))
{
	device.host->enter_library();
	device_lock();
	if (!device_enter())
		work();
	device_unlock();
	device.host->leave_library();
}

void device_forget_scratch(void)
{
	if (device.usable)
		in_context(vmm_pool_forget);
}

static void rest(void)
{
	CUresult result = checksum_audit_rest();

	if (result)
		log_warning(
			"device memory: no digests for a suspend of the machine: driver error %d",
			(int)result);
}

void device_expect_suspend(void)
{
	if (device.usable && device.session && !device.driver->extension)
		in_context(rest);
}

void device_look_after_suspend(void)
{
	cleanup_buffer struct buffer report = BUFFER_INIT;

	if (!device.usable || !device.session)
		return;
	device.host->enter_library();
	look_after_suspend(&report);
	if (report.len && !report.failed)
		device_print(true, report.data, report.len);
	device.host->leave_library();
}

void device_pages_change(void)
{
	/* The driver waits for what uses them. */
	if (device.usable && device.session && pinning_any())
		in_context(pinning_let_go);
}

/* Letting go waits, too, but nobody could interrupt that. */
void device_finish_for_commit(void)
{
	if (!device.usable || !device.session || !pinning_any())
		return;
	device.host->enter_library();
	if (!device.sticky && !device_enter())
		wait_idle();
	device.host->leave_library();
	device_pages_change();
}

bool device_describe(uint64_t address, struct address_description *ret)
{
	const struct session_buffer *b;
	bool freed;

	if (!address_in_device(address))
		return false;
	b = ledger_look(address, &freed);
	*ret = (struct address_description){ .owner = freed ? OWNER_DEVICE_FREED : OWNER_DEVICE };
	if (!b)
		return true;
	ret->cell = b->cell;
	ret->freed_cell = b->freed;
	ret->base = b->address;
	ret->size = b->size;
	memcpy(ret->name, b->name, sizeof(b->name));
	return true;
}

uint32_t device_buffers(struct device_buffer *ret, uint32_t max)
{
	const struct session_array *a = &device.session->buffers;
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->n && n < max; i++) {
		const struct session_buffer *b = session_at(a, struct session_buffer, i);

		if (!b->dead && b->kind == BUFFER_MALLOC)
			ret[n++] = (struct device_buffer){ b->address, b->size, b->cell, b->line };
	}
	return n;
}

void device_each_host_block(void (*fn)(void *data, uint64_t address, uint64_t size), void *data)
{
	const struct session_array *a = &device.session->buffers;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct session_buffer *b = session_at(a, struct session_buffer, i);

		if (!b->dead && b->kind >= BUFFER_MANAGED)
			fn(data, b->address, b->size);
	}
}

static void report_device(int ordinal, struct buffer *out)
{
	size_t total = 0;
	char name[128] = "", id[32] = "";

	device.driver->cuDeviceGetName(name, sizeof(name), ordinal);
	device.driver->cuDeviceGetPCIBusId(id, sizeof(id), ordinal);
	device.driver->cuDeviceTotalMem(&total, ordinal);
	record_put_str(out, name);
	record_put_str(out, id);
	record_put_u64(out, total);
	record_put_u64(out, ledger_used_on(ordinal));
}

static void report_library_memory(uint32_t i, struct buffer *out)
{
	struct library_memory h = { .call = "" };

	library_memory_sum(i, &h);
	record_put_u64(out, 0);
	record_put_u64(out, h.bytes);
	record_put_u32(out, h.cell);
	record_put_str(out, "libraries");
	record_put_str(out, h.call);
	record_put_u32(out, (uint32_t)h.device);
}

void device_report(struct buffer *out)
{
	const struct session_array *a = &device.session->buffers;
	uint64_t used = ledger_used(), total = device.info.memory, largest = 0;
	uint32_t n = 0, n_library = 0;
	struct library_memory row;

	for (int i = 0; i < device.count; i++) {
		size_t free_bytes, own;

		/* One that nobody has used is not woken up for this. */
		if (device.usable && device.contexts[i].handle &&
		    !ledger_room(i, &free_bytes, &own) && free_bytes > largest)
			largest = free_bytes;
	}
	watch_renew();
	if (device.limit && (used > device.limit || device.limit - used < largest))
		largest = used > device.limit ? 0 : device.limit - used;
	record_put_str(out, device.info.name);
	record_put_u64(out, total);
	record_put_u64(out, used);
	record_put_u64(out, device.limit);
	record_put_u64(out, largest);
	for (uint32_t i = 0; i < a->n; i++)
		n += !session_at(a, struct session_buffer, i)->dead;
	while (library_memory_sum(n_library, &row))
		n_library++;
	record_put_u32(out, n + n_library);
	for (uint32_t i = 0; i < a->n; i++) {
		const struct session_buffer *b = session_at(a, struct session_buffer, i);

		if (b->dead)
			continue;
		record_put_u64(out, b->address);
		record_put_u64(out, b->size);
		record_put_u32(out, b->cell);
		record_put_str(out, session_buffer_name(b));
		record_put_str(out, ledger_kind_name(b->kind));
		record_put_u32(out, b->device);
	}
	for (uint32_t i = 0; i < n_library; i++)
		report_library_memory(i, out);
	record_put_u32(out, (uint32_t)device.count);
	for (int i = 0; i < device.count; i++)
		report_device(i, out);
	record_put_str(out, device.info.problem);
}

void device_stop(void)
{
	if (device.driver && device.driver->extension)
		device.driver->extension->stop(1);
}

uint64_t device_variable(uint64_t stand_in, uint64_t *ret_size)
{
	return device_code_stand_in(stand_in, ret_size);
}

const char *device_fault_cause(void)
{
	return device_fault_told();
}

void device_source_put(uint32_t cell, uint32_t line, struct buffer *out)
{
	source_text_put(cell, line, out);
}

int device_trace_begin(struct error *err)
{
	return trace_begin(err);
}

void device_trace_stop(void)
{
	trace_stop();
}

int device_trace_take(struct buffer *ret, struct error *err)
{
	return trace_take(ret, err);
}

void *device_symbol(const char *name)
{
	return cudart_table_find(name);
}

void *device_library_symbol(const char *name)
{
	return library_handles_symbol(name);
}

bool device_libraries_due(void)
{
	return library_handles_due();
}

void device_libraries_renew(void *unused)
{
	(void)unused;
	library_handles_renew();
}

uint64_t device_layout(void)
{
	static const uint64_t sizes[] = {
		offsetof(struct device_session, chunks),
		offsetof(struct device_session, events),
		sizeof(struct session_chunk),
		sizeof(struct session_buffer),
		offsetof(struct session_buffer, kind),
		sizeof(struct device_session),
		sizeof(struct session_place),
		sizeof(struct session_unit),
		sizeof(struct session_kernel),
		sizeof(struct session_variable),
		offsetof(struct session_variable, address),
		sizeof(struct session_stream),
		sizeof(struct session_event),
		offsetof(struct device_session, images_epoch),
		sizeof(struct session_image),
		sizeof(struct session_mipmap),
		sizeof(struct session_object),
		sizeof(struct session_pool),
		sizeof(struct session_node),
		sizeof(struct session_graph),
		sizeof(struct session_limit),
		sizeof(struct session_library_handle),
		sizeof(struct session_library_setting),
		sizeof(struct session_source),
	};

	return layout_hash(0, sizes, sizeof(sizes) / sizeof(sizes[0]));
}
