/* SPDX-License-Identifier: Apache-2.0 */
/* A worker that is built without runtime/cuda/: cells have no device, and are told so. */
#include <stdio.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/record.h"
#include "runtime/cuda/device.h"

int device_init(const struct device_host *host, struct device_info *ret_info, struct error *err)
{
	(void)host;
	(void)err;
	snprintf(ret_info->problem, sizeof(ret_info->problem), "this cgpu-worker was built without CUDA");
	return 0;
}

int device_attach(uint32_t epoch, uint64_t limit, struct error *err)
{
	(void)epoch;
	(void)limit;
	(void)err;
	return 0;
}

int device_attach_chunk(uint64_t id, uint64_t size, uint64_t address, int fd, struct error *err)
{
	(void)id;
	(void)size;
	(void)address;
	(void)err;
	close(fd);
	return 0;
}

int device_attach_preimage(uint64_t address, uint64_t size, uint64_t chunk, uint64_t offset, struct error *err)
{
	(void)address;
	(void)size;
	(void)chunk;
	(void)offset;
	(void)err;
	return 0;
}

int device_attach_end(struct buffer *report, struct error *err)
{
	(void)report;
	(void)err;
	return 0;
}

void device_set_limit(uint64_t limit)
{
	(void)limit;
}

void device_cell_begin(uint32_t cell)
{
	(void)cell;
}

int device_load(const struct unit *u, struct error *err)
{
	(void)u;
	(void)err;
	return 0;
}

int device_cell_end(struct buffer *warnings, struct fault_record *fault)
{
	(void)warnings;
	(void)fault;
	return 0;
}

void device_cell_committed(void)
{
}

bool device_describe(uint64_t address, struct address_description *ret)
{
	(void)address;
	(void)ret;
	return false;
}

void device_report(struct buffer *out)
{
	record_put_str(out, "none");
	for (int i = 0; i < 4; i++)
		record_put_u64(out, 0);
	record_put_u32(out, 0);
}

void *device_symbol(const char *name)
{
	(void)name;
	return NULL;
}
