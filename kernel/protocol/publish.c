/* SPDX-License-Identifier: Apache-2.0 */
/* Contents follow the messaging specification; wire_publish() sends. */
#include "kernel/protocol/publish.h"

#include <stdio.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "kernel/protocol/channels.h"
#include "kernel/protocol/replay.h"

static void send_outgoing(struct publisher *p, const char *topic, struct outgoing *m)
{
	struct error err = ERROR_INIT;

	if (wire_publish(p->wire, p->channels->sockets[CHANNEL_IOPUB], topic, m, &err))
		log_error("iopub: %s", err.text);
}

static void send_on_topic(struct publisher *p, const char *topic, const struct message *parent,
			  const char *type, json_t *content)
{
	struct outgoing m = { .type = type, .parent = parent, .content = content };

	send_outgoing(p, topic, &m);
}

#define TOPIC_SIZE 128

static void make_topic(const struct publisher *p, const char *type, char ret[TOPIC_SIZE])
{
	snprintf(ret, TOPIC_SIZE, "kernel.%s.%s", p->wire->session, type);
}

void publish(struct publisher *p, const struct message *parent, const char *type, json_t *content)
{
	char topic[TOPIC_SIZE];

	make_topic(p, type, topic);
	replay_note(p->replay, parent, type, content);
	send_on_topic(p, topic, parent, type, content);
}

void publish_status(struct publisher *p, const struct message *parent, const char *state)
{
	/* The client whose request begins or ends here may have subscribed just before. */
	publish_welcomes(p);
	publish(p, parent, "status", json_pack("{ss}", "execution_state", state));
}

void publish_stream(struct publisher *p, const struct message *parent, const char *name,
		    const char *text, size_t len)
{
	publish(p, parent, "stream",
		json_pack("{ss so}", "name", name, "text", json_stringn_nocheck(text, len)));
}

void publish_execute_input(struct publisher *p, const struct message *parent, json_t *code,
			   uint32_t count)
{
	json_t *text = json_is_string(code) ? json_incref(code) : json_string("");

	publish(p, parent, "execute_input",
		json_pack("{so sI}", "code", text, "execution_count", (json_int_t)count));
}

void publish_execute_result(struct publisher *p, const struct message *parent, json_t *data,
			    uint32_t count)
{
	publish(p, parent, "execute_result",
		json_pack("{so s{} sI}", "data", data, "metadata", "execution_count",
			  (json_int_t)count));
}

void publish_display(struct publisher *p, const struct message *parent, json_t *data,
		     const char *display_id, bool update)
{
	json_t *transient =
		*display_id ? json_pack("{ss}", "display_id", display_id) : json_object();

	publish(p, parent, update ? "update_display_data" : "display_data",
		json_pack("{so s{} so}", "data", data, "metadata", "transient", transient));
}

void publish_clear_output(struct publisher *p, const struct message *parent, bool wait)
{
	publish(p, parent, "clear_output", json_pack("{sb}", "wait", (int)wait));
}

void publish_comm(struct publisher *p, const struct message *parent, const char *type,
		  json_t *metadata, json_t *content, const struct iovec *buffers, size_t n_buffers)
{
	struct outgoing m = { .type = type,
			      .parent = parent,
			      .metadata = metadata,
			      .content = content,
			      .buffers = buffers,
			      .n_buffers = n_buffers };
	char topic[TOPIC_SIZE];

	make_topic(p, type, topic);
	send_outgoing(p, topic, &m);
}

void publish_welcomes(struct publisher *p)
{
	char topic[256];

	while (channels_subscription(p->channels, topic, sizeof(topic)))
		send_on_topic(p, topic, NULL, "iopub_welcome",
			      json_pack("{ss}", "subscription", topic));
}
