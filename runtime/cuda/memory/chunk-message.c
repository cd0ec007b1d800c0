/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message is a record of numbers; the descriptor of the memory travels beside it. The kernel
 * process needs it to hand the memory to the next worker, so the caller learns when
 * WORKER_DEVICE_CHUNK cannot be sent. A WORKER_DEVICE_DROP that is lost only leaves memory that
 * nobody uses, so that is logged.
 */
#include "runtime/cuda/memory/chunk-message.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/driver/device-state.h"

int chunk_message_made(uint64_t id, uint64_t size, uint64_t address, int fd, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_u64(&b, id);
	record_put_u64(&b, size);
	record_put_u64(&b, address);
	if (buffer_check(&b, err))
		return -1;
	return device.host->send(WORKER_DEVICE_CHUNK, b.data, b.len, fd, err);
}

void chunk_message_dropped(uint64_t id)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;

	record_put_u64(&b, id);
	if (buffer_check(&b, &err) ||
	    device.host->send(WORKER_DEVICE_DROP, b.data, b.len, -1, &err))
		log_error("device memory: %s", err.text);
}
