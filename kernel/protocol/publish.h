/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publishes messages on iopub. Every function takes the request that led to the message as parent;
 * NULL is for `starting` and the welcome only. A failure to send is logged here, since nobody else
 * can handle it.
 */
#ifndef CGPU_KERNEL_PROTOCOL_PUBLISH_H
#define CGPU_KERNEL_PROTOCOL_PUBLISH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/protocol/wire.h"

struct channels;
struct replay;

struct publisher {
	struct wire *wire;
	struct channels *channels;
	struct replay *replay; /* keeps the outputs */
};

/* Publishes a message. content (and metadata) are taken over. The topic is
 * "kernel.SESSION.TYPE". */
void publish(struct publisher *p, const struct message *parent, const char *type, json_t *content);

void publish_status(struct publisher *p, const struct message *parent, const char *state);
/* text must be valid UTF-8. */
void publish_stream(struct publisher *p, const struct message *parent, const char *name,
		    const char *text, size_t len);
void publish_execute_input(struct publisher *p, const struct message *parent, json_t *code,
			   uint32_t count);
/* data is a MIME bundle and taken over. */
void publish_execute_result(struct publisher *p, const struct message *parent, json_t *data,
			    uint32_t count);
void publish_display(struct publisher *p, const struct message *parent, json_t *data,
		     const char *display_id, bool update);
void publish_clear_output(struct publisher *p, const struct message *parent, bool wait);
/* Publishes comm_open, comm_msg or comm_close. metadata (NULL: none) and content are taken over,
 * buffers are borrowed. */
void publish_comm(struct publisher *p, const struct message *parent, const char *type,
		  json_t *metadata, json_t *content, const struct iovec *buffers, size_t n_buffers);
/* Publishes iopub_welcome for each new subscription; each status begins with this call. */
void publish_welcomes(struct publisher *p);

#endif
