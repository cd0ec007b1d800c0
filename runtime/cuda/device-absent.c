/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA side of a worker that was built without CUDA's headers (configure --without-cuda): a
 * device that cannot be used. The compiler refuses what needs one, so no cell comes here; the
 * worker core asks all the same, and hears that there is nothing: no memory, no symbols, no faults.
 */
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/cuda/without-cuda.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/device.h"

static int refuse(struct error *err)
{
	return error_set(err, ERROR_UNSUPPORTED, "%s", BUILT_WITHOUT_CUDA);
}

static void describe(struct device_info *ret)
{
	*ret = (struct device_info){ .name = "none" };
	snprintf(ret->problem, sizeof(ret->problem), "%s", BUILT_WITHOUT_CUDA);
}

void device_stand_before_driver(const char *folder)
{
	(void)folder;
}

int device_init(const struct device_host *host, struct device_info *ret_info, struct error *err)
{
	(void)host, (void)err;
	describe(ret_info);
	return 0;
}

void device_leave_alone(const struct device_host *host, struct device_info *ret_info)
{
	(void)host;
	describe(ret_info);
}

void device_init_checks(const struct device_host *host, const struct worker_device *as,
			struct device_info *ret_info)
{
	(void)host, (void)as;
	describe(ret_info);
}

int device_attach(const struct device_attachment *how, struct error *err)
{
	(void)how, (void)err;
	return 0;
}

int device_attach_chunk(uint64_t id, uint64_t size, uint64_t address, int fd, struct error *err)
{
	(void)id, (void)size, (void)address, (void)fd;
	return refuse(err);
}

int device_attach_parked(uint64_t id, uint64_t size, uint64_t address,
			 int (*fill)(void *data, uint64_t address, struct error *err), void *data,
			 struct error *err)
{
	(void)id, (void)size, (void)address, (void)fill, (void)data;
	return refuse(err);
}

int device_open_chunk(uint64_t id, uint64_t size, int fd, uint64_t *ret_address, struct error *err)
{
	(void)id, (void)size, (void)fd, (void)ret_address;
	return refuse(err);
}

void device_close_chunk(uint64_t id)
{
	(void)id;
}

bool device_attach_keep(uint64_t address, uint64_t size)
{
	(void)address;
	(void)size;
	return false;
}

int device_attach_preimage(uint64_t address, uint64_t size, uint64_t chunk, uint64_t offset,
			   struct error *err)
{
	(void)address, (void)size, (void)chunk, (void)offset;
	return refuse(err);
}

void device_attach_checksum(const struct buffer_checksum *c)
{
	(void)c;
}

int device_attach_end(struct buffer *report, struct error *err)
{
	(void)report, (void)err;
	return 0;
}

bool device_is_usable(void)
{
	return false;
}

void device_unusable_ename(char *ret, size_t size)
{
	snprintf(ret, size, "CudaNoDevice");
}

uint64_t device_variable(uint64_t stand_in, uint64_t *ret_size)
{
	(void)stand_in;
	*ret_size = 0;
	return 0;
}

int device_read(uint64_t address, void *ret, size_t size, struct error *err)
{
	(void)address, (void)ret, (void)size;
	return refuse(err);
}

int device_write(uint64_t address, const void *bytes, size_t size, struct error *err)
{
	(void)address, (void)bytes, (void)size;
	return refuse(err);
}

bool device_has(uint64_t address)
{
	(void)address;
	return false;
}

int device_clear(uint64_t address, size_t size, struct error *err)
{
	(void)address, (void)size;
	return refuse(err);
}

void device_set_limit(uint64_t limit)
{
	(void)limit;
}

void device_set_rollback(unsigned mode)
{
	(void)mode;
}

void device_rollback_cost(struct device_rollback_cost *ret)
{
	*ret = (struct device_rollback_cost){ 0 };
}

int device_profile_begin(struct error *err)
{
	return refuse(err);
}

int device_profile_take(struct buffer *ret, struct error *err)
{
	(void)ret;
	return refuse(err);
}

int device_trace_begin(struct error *err)
{
	return refuse(err);
}

void device_trace_stop(void)
{
}

int device_trace_take(struct buffer *ret, struct error *err)
{
	(void)ret;
	return refuse(err);
}

void device_cell_begin(uint32_t cell, uint32_t checks)
{
	(void)cell;
	(void)checks;
}

void device_expect_suspend(void)
{
}

void device_look_after_suspend(void)
{
}

void device_cell_text(const char *text)
{
	(void)text;
}

int device_load(const struct unit *u, struct error *err)
{
	(void)u, (void)err;
	return 0;
}

int device_cell_end(struct buffer *warnings, struct fault_record *fault)
{
	(void)warnings, (void)fault;
	return 0;
}

void device_cell_committed(struct record *waiting)
{
	(void)waiting;
}

void device_forget_scratch(void)
{
}

int device_checkpoint_begin(void)
{
	return 0;
}

void device_checkpoint_end(void)
{
}

void device_finish_for_commit(void)
{
}

void device_pages_change(void)
{
}

const char *device_fault_cause(void)
{
	return "";
}

bool device_describe(uint64_t address, struct address_description *ret)
{
	(void)address, (void)ret;
	return false;
}

uint32_t device_buffers(struct device_buffer *ret, uint32_t max)
{
	(void)ret, (void)max;
	return 0;
}

void device_each_host_block(void (*fn)(void *data, uint64_t address, uint64_t size), void *data)
{
	(void)fn, (void)data;
}

void device_stop(void)
{
}

/* The fields of WORKER_DEVICE_REPORT, all of them empty but the name and the problem. */
void device_report(struct buffer *out)
{
	struct device_info info;

	describe(&info);
	record_put_str(out, info.name);
	for (int i = 0; i < 4; i++)
		record_put_u64(out, 0);
	record_put_u32(out, 0);
	record_put_u32(out, 0);
	record_put_str(out, info.problem);
}

void *device_symbol(const char *name)
{
	(void)name;
	return NULL;
}

void *device_library_symbol(const char *name)
{
	(void)name;
	return NULL;
}

bool device_libraries_due(void)
{
	return false;
}

void device_libraries_renew(void *unused)
{
	(void)unused;
}

uint64_t device_layout(void)
{
	return 0;
}

void device_source_put(uint32_t cell, uint32_t line, struct buffer *out)
{
	(void)cell, (void)line, (void)out;
}
