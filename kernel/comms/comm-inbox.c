/* SPDX-License-Identifier: Apache-2.0 */
/* An update is folded only into one that no other message of its comm has followed, so that the
 * order of what a callback sees is that of the front end. */
#include "kernel/comms/comm-inbox.h"

#include <stdlib.h>
#include <string.h>

#include "common/protocol/comm-message.h"
#include "kernel/comms/comms.h"

static struct delivery *last_of(const struct comm_inbox *inbox, const char *id)
{
	struct delivery *found = NULL;

	for (struct delivery *d = inbox->first; d; d = d->next)
		if (!strcmp(d->id, id))
			found = d;
	return found;
}

struct request *comm_inbox_add(struct comm_inbox *inbox, struct request *request, uint8_t action,
			       const struct comm *comm, json_t *data, size_t bytes)
{
	struct delivery *d = last_of(inbox, comm->id);
	struct request *over;

	if (inbox->bytes + bytes > COMM_INBOX_BYTES)
		return request;
	if (d && d->action == COMM_UPDATE && action == COMM_UPDATE) {
		over = d->request;
		json_object_update(d->data, data);
		d->request = request;
		d->bytes += bytes;
		inbox->bytes += bytes;
		return over;
	}
	d = inbox->n < COMM_INBOX_MAX ? calloc(1, sizeof(*d)) : NULL;
	if (!d)
		return request;
	d->request = request;
	d->action = action;
	memcpy(d->id, comm->id, sizeof(d->id));
	memcpy(d->target, comm->target, sizeof(d->target));
	d->data = json_incref(data);
	d->told = comm->told;
	d->bytes = bytes;
	if (inbox->last)
		inbox->last->next = d;
	else
		inbox->first = d;
	inbox->last = d;
	inbox->n++;
	inbox->bytes += bytes;
	return NULL;
}

struct delivery *comm_inbox_take(struct comm_inbox *inbox)
{
	struct delivery *d = inbox->first;

	if (!d)
		return NULL;
	inbox->first = d->next;
	if (!inbox->first)
		inbox->last = NULL;
	inbox->n--;
	inbox->bytes -= d->bytes;
	return d;
}

void delivery_free(struct delivery *d)
{
	if (!d)
		return;
	json_decref(d->data);
	free(d);
}
