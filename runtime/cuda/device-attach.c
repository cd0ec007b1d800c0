/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker takes a session over: its chunks are mapped again, its pre-images copied back. One call
 * of the driver that fails is no reason to refuse the session, and none to lose a byte of it: the
 * device is then out of reach as a whole, the kernel process keeps chunks and pre-images for a
 * later worker, and cells go on without a device. Only when the kernel says that what does not come
 * is given up, as `%gpu reset` does, empty memory takes its place, and the buffers are named.
 */
#include <string.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/cuda/cuda-fault.h"
#include "common/memory/address-map.h"
#include "runtime/cuda/device-open.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/driver/cuda-error.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/libcuda/library-handles.h"
#include "runtime/cuda/libcuda/nvml.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/memory/library-memory-request.h"
#include "runtime/cuda/memory/peers.h"
#include "runtime/cuda/memory/vmm-pool.h"
#include "runtime/cuda/memory/watch.h"
#include "runtime/cuda/rollback/checksum-audit.h"
#include "runtime/cuda/rollback/preimage.h"
#include "runtime/cuda/session/pinning.h"

/* Memory of one device is nothing to another one, and a card that is gone shifts the numbers of
 * those behind it. */
static void check_devices(const struct device_attachment *how)
{
	for (int i = 0; i < CHUNK_DEVICES_MAX && device.usable; i++) {
		if (!(how->needed >> i & 1))
			continue;
		if (i >= device.count)
			device_set_out_of_reach("device %d, which holds memory of the session, is "
						"not there any more: the driver has %d",
						i, device.count);
		else if (memcmp(device.info.uuids[i], how->uuids[i], DEVICE_UUID_SIZE))
			device_set_out_of_reach("device %d is another one than that which holds "
						"memory of the session",
						i);
	}
}

int device_attach(const struct device_attachment *how, struct error *err)
{
	device.refill = how->refill;
	device.gives_up = how->gives_up;
	device.epoch = how->epoch;
	if (!device.usable && device.info.devices)
		device_open_take();
	check_devices(how);
	device_set_limit(how->limit);
	device.session = session_open();
	if (!device.session)
		return error_set(err, ERROR_MEMORY, "no session memory for the CUDA tables");
	return 0;
}

/* A call that failed while a session is attached: is it the device that has failed? Then nothing of
 * it is lost by us. */
static bool is_gone(CUresult result)
{
	size_t free_bytes, total;

	if (cuda_fault_kind((int)result) == CUDA_FAULT_RECOVERABLE ||
	    !device.driver->cuMemGetInfo(&free_bytes, &total))
		return false;
	device_set_unusable(result);
	return true;
}

static struct session_buffer *buffer_in(uint64_t address, uint64_t size)
{
	const struct session_array *a = &device.session->buffers;

	for (uint32_t i = 0; i < a->n; i++)
		if (session_at(a, struct session_buffer, i)->address - address < size)
			return session_at(a, struct session_buffer, i);
	return NULL;
}

/* The first one that does not come is named. address 0: a chunk with pre-images. */
static void put_out_of_reach(uint64_t address, uint64_t size, CUresult why)
{
	const struct session_buffer *b = address ? buffer_in(address, size) : NULL;
	const char *text = cuda_error_text(why);

	if (!address)
		device_set_out_of_reach("the memory with what the failed cell has overwritten "
					"cannot be mapped: %s (%d)",
					text, (int)why);
	else if (!b)
		device_set_out_of_reach("device memory at 0x%llx cannot be mapped: %s (%d)",
					(unsigned long long)address, text, (int)why);
	else
		device_set_out_of_reach("the memory of `%s` (cell %u, %llu bytes at 0x%llx) cannot "
					"be mapped: %s (%d)",
					session_buffer_name(b), b->cell,
					(unsigned long long)b->size, (unsigned long long)b->address,
					text, (int)why);
}

int device_attach_chunk(uint64_t id, uint64_t size, uint64_t address, int fd, struct error *err)
{
	CUresult result;

	(void)err;
	if (!device.usable) {
		close(fd);
		return 0;
	}
	result = vmm_pool_attach(id, size, address, fd);
	if (!result || is_gone(result))
		return 0;
	log_warning("device memory at 0x%llx cannot be mapped again: %s (%d)",
		    (unsigned long long)address, cuda_error_text(result), (int)result);
	/* Memory that is given up is found missing at the end. */
	if (!device.gives_up)
		put_out_of_reach(address, size, result);
	return 0;
}

struct filling {
	int (*fill)(void *data, uint64_t address, struct error *err);
	void *data;
	struct error problem;
};

static int fill(void *data, uint64_t address)
{
	struct filling *f = data;

	return f->fill(f->data, address, &f->problem);
}

int device_attach_parked(uint64_t id, uint64_t size, uint64_t address,
			 int (*fn)(void *data, uint64_t address, struct error *err), void *data,
			 struct error *err)
{
	struct filling f = { fn, data, ERROR_INIT };
	CUresult result = CUDA_SUCCESS;

	if (device.usable)
		result = vmm_pool_attach_anew(id, size, address, fill, &f);
	if (result == CUDA_ERROR_OUT_OF_MEMORY)
		return error_set(err, ERROR_LIMIT,
				 "the device has no %llu MB free for what was parked",
				 (unsigned long long)(size >> 20));
	if (!result || is_gone(result))
		return 0;
	return error_set(err, ERROR_SYSTEM, "device memory at 0x%llx cannot be brought back: %s",
			 (unsigned long long)address,
			 f.problem.text[0] ? f.problem.text : cuda_error_text(result));
}

int device_open_chunk(uint64_t id, uint64_t size, int fd, uint64_t *ret_address, struct error *err)
{
	CUresult result;

	if (!device.usable) {
		close(fd);
		return error_set(err, ERROR_UNSUPPORTED, "device memory cannot be reached: %s",
				 device.info.problem);
	}
	result = vmm_pool_attach(id, size, 0, fd);
	if (result)
		return error_set(err, ERROR_SYSTEM,
				 "device memory that undo keeps cannot be mapped: %s",
				 cuda_error_text(result));
	*ret_address = vmm_pool_scratch_address(id);
	return 0;
}

void device_close_chunk(uint64_t id)
{
	if (device.usable)
		vmm_pool_detach(id);
}

/* A buffer that has no memory at all is told at the end. */
static void note_not_back(uint64_t address)
{
	struct session_buffer *b = buffer_in(address, 1);

	if (!b || !vmm_pool_is_mapped(address))
		return;
	checksum_audit_lost(b);
	buffer_printf(&device.not_back,
		      "device buffer `%s` (cell %u, %llu bytes at 0x%llx) could not be put back: "
		      "it holds what the failed cell has made of it\n",
		      session_buffer_name(b), b->cell, (unsigned long long)b->size,
		      (unsigned long long)b->address);
}

bool device_attach_keep(uint64_t address, uint64_t size)
{
	CUresult result = device.usable ? preimage_keep(address, size) : CUDA_ERROR_NO_DEVICE;

	if (result)
		log_info("device memory at 0x%llx is not kept for a redo: %s (%d)",
			 (unsigned long long)address, cuda_error_text(result), (int)result);
	return !result;
}

int device_attach_preimage(uint64_t address, uint64_t size, uint64_t chunk, uint64_t offset,
			   struct error *err)
{
	CUresult result;

	(void)err;
	if (!device.usable)
		return 0;
	result = preimage_restore(address, size, chunk, offset);
	if (!result || is_gone(result))
		return 0;
	if (device.gives_up)
		note_not_back(address);
	else
		device_set_out_of_reach("the content of device memory at 0x%llx from before the "
					"failed cell cannot be copied back: %s (%d)",
					(unsigned long long)address, cuda_error_text(result),
					(int)result);
	return 0;
}

void device_attach_checksum(const struct buffer_checksum *c)
{
	checksum_audit_expect(c);
}

static void report_lost(void *data, uint64_t address, uint64_t size)
{
	if (device.refill)
		return;
	for (uint32_t i = 0; i < device.session->buffers.n; i++) {
		struct session_buffer *b =
			session_at(&device.session->buffers, struct session_buffer, i);

		if (b->address - address >= size)
			continue;
		checksum_audit_lost(b);
		buffer_printf(data,
			      "the content of device buffer `%s` (cell %u, %llu bytes at 0x%llx) "
			      "is lost\n",
			      session_buffer_name(b), b->cell, (unsigned long long)b->size,
			      (unsigned long long)b->address);
	}
}

static void report_out_of_reach(struct buffer *report)
{
	const struct session_array *a = &device.session->buffers;
	uint64_t bytes = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct session_buffer *b = session_at(a, struct session_buffer, i);

		if (b->dead || b->kind >= BUFFER_MANAGED)
			continue;
		bytes += b->size;
		n++;
	}
	if (n)
		buffer_printf(report,
			      "%u device buffer%s of %llu bytes cannot be reached: %s\nvariables "
			      "and heap are as they should be; `%%gpu reset` tries the device "
			      "again, and gives up only what does not come then\n",
			      n, n == 1 ? "" : "s", (unsigned long long)bytes, device.info.problem);
}

bool device_is_usable(void)
{
	return device.usable;
}

static void report_library_memory_lost(struct buffer *report)
{
	char size[24];

	if (device.session->library_bytes)
		buffer_printf(report,
			      "%s of device memory that libraries had taken from the driver\n",
			      ledger_size_text(device.session->library_bytes, size));
	device.session->library_bytes = 0;
}

/*
 * Memory of cells outside of the session's may have gone with the worker, and is no block of the
 * session then. On a GPU that of the session waits until it is used.
 */
static void take_buffer(struct session_buffer *b, struct buffer *report)
{
	bool in_session = address_in_arena(b->address);

	if (b->kind < BUFFER_MANAGED || (in_session && !device.driver->extension) ||
	    !pinning_add(b->address, b->size)) {
		ledger_annotate(b);
		return;
	}
	buffer_printf(report,
		      "host memory `%s` at 0x%llx is not registered with the device any more\n",
		      session_buffer_name(b), (unsigned long long)b->address);
	if (!in_session)
		ledger_free(b);
}

int device_attach_end(struct buffer *report, struct error *err)
{
	const struct session_array *a = &device.session->buffers;

	(void)err;
	report_library_memory_lost(report);
	library_handles_report(report);
	nvml_report(report);
	if (!device.usable) {
		report_out_of_reach(report);
		return 0;
	}
	for (uint32_t i = 0; i < device.session->limits.n; i++) {
		const struct session_limit *l =
			session_at(&device.session->limits, struct session_limit, i);

		if (l->device >= device.count || device_switch(l->device) ||
		    library_memory_limit_set(l->device, l->limit, l->value))
			buffer_printf(report, "limit %d of the device is not %llu any more\n",
				      (int)l->limit, (unsigned long long)l->value);
	}
	device_lock();
	device_switch(0);
	if (peers_reopen())
		buffer_puts(report, "not all devices reach the memory of each other any more\n");
	vmm_pool_attach_end(report_lost, report);
	buffer_append(report, buffer_text(&device.not_back), device.not_back.len);
	checksum_audit_check(report);
	for (uint32_t i = a->n; i-- > 0;)
		take_buffer(session_at(a, struct session_buffer, i), report);
	pinning_attached();
	preimage_reset();
	watch_renew();
	device_unlock();
	return 0;
}
