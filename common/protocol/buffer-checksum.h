/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums: the digest of a device buffer that no cell has changed since
 * (runtime/cuda/rollback/checksum-audit.h), and its encoding in messages. */
#ifndef CGPU_COMMON_PROTOCOL_BUFFER_CHECKSUM_H
#define CGPU_COMMON_PROTOCOL_BUFFER_CHECKSUM_H

#include <stdint.h>

#include "common/base/record.h"

/* Bytes of one in a record. */
#define BUFFER_CHECKSUM_SIZE 44

struct buffer_checksum {
	uint64_t address, size;
	uint64_t born; /* birth number of the buffer, which distinguishes it from another one at its
			  address */
	uint64_t digest;
	uint64_t suspended_ns; /* clock_suspended_ns() when it was taken */
	/* The cell before whose device code it was taken; 0: the content is given up, and nothing
	 * is compared. */
	uint32_t cell;
};

static inline void buffer_checksum_put(struct buffer *out, const struct buffer_checksum *c)
{
	record_put_u64(out, c->address);
	record_put_u64(out, c->size);
	record_put_u64(out, c->born);
	record_put_u64(out, c->digest);
	record_put_u64(out, c->suspended_ns);
	record_put_u32(out, c->cell);
}

static inline struct buffer_checksum buffer_checksum_take(struct record *r)
{
	struct buffer_checksum c;

	c.address = record_u64(r);
	c.size = record_u64(r);
	c.born = record_u64(r);
	c.digest = record_u64(r);
	c.suspended_ns = record_u64(r);
	c.cell = record_u32(r);
	return c;
}

#endif
