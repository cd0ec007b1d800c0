/* SPDX-License-Identifier: Apache-2.0 */
/* What a device buffer held when no cell had changed it (runtime/cuda/rollback/checksum-audit.h),
 * and how messages carry it. */
#ifndef CGPU_COMMON_PROTOCOL_CERTIFICATE_H
#define CGPU_COMMON_PROTOCOL_CERTIFICATE_H

#include <stdint.h>

#include "common/base/record.h"

/* In a record. */
#define CERTIFICATE_SIZE 44

struct certificate {
	uint64_t address, size;
	uint64_t born; /* of the buffer, so that it is not taken for another one at its address */
	uint64_t digest;
	uint64_t suspended_ns; /* clock_suspended_ns() when it was taken */
	uint32_t cell; /* before whose device code it was taken; 0: its content is given up, nothing
			  is to be compared */
};

static inline void certificate_put(struct buffer *out, const struct certificate *c)
{
	record_put_u64(out, c->address);
	record_put_u64(out, c->size);
	record_put_u64(out, c->born);
	record_put_u64(out, c->digest);
	record_put_u64(out, c->suspended_ns);
	record_put_u32(out, c->cell);
}

static inline struct certificate certificate_take(struct record *r)
{
	struct certificate c;

	c.address = record_u64(r);
	c.size = record_u64(r);
	c.born = record_u64(r);
	c.digest = record_u64(r);
	c.suspended_ns = record_u64(r);
	c.cell = record_u32(r);
	return c;
}

#endif
