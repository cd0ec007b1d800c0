/* SPDX-License-Identifier: Apache-2.0 */
/* The memory is the committed one; who owns an address is asked of the idle worker. */
#include "kernel/supervisor/present.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/memory/address-map.h"
#include "common/protocol/presenter-protocol.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/supervisor/supervisor.h"
#include "kernel/views/presenter-part.h"
#include "kernel/views/presenter-value.h"
#include "kernel/views/presenter-view.h"
#include "kernel/workers/presenter-client.h"
#include "kernel/workers/question.h"

static bool read_committed(void *data, uint64_t address, void *ret, size_t len)
{
	return !supervisor_read(data, address, ret, len);
}

/* Reads what cells have on the device, too, which the idle worker is asked for. */
static bool read_anywhere(void *data, uint64_t address, void *ret, size_t len)
{
	return read_committed(data, address, ret, len) ||
	       (address_in_device(address) && !question_read_device(data, address, ret, len, NULL));
}

static bool ask_idle_worker(void *data, uint64_t address, struct address_description *ret)
{
	struct error err = ERROR_INIT;

	if (!question_describe(data, &address, 1, ret, &err))
		return true;
	log_info("describe: %s", err.text);
	return false;
}

static int present(struct supervisor *s, uint32_t type, const struct buffer *body,
		   struct presenter_view *ret, struct error *err)
{
	const struct presenter_memory memory = { type == PRESENTER_PICTURE ? read_anywhere
									   : read_committed,
						 ask_idle_worker, s };

	return presenter_client_view(s->presenter, type, body, &s->units, &memory, ret, err);
}

static int list(struct supervisor *s, uint32_t type, const struct buffer *body, struct buffer *ret,
		struct error *err)
{
	/* A list of variables is made behind each cell, so the device is left alone for it. */
	const struct presenter_memory memory = { type == PRESENTER_PARTS ? read_anywhere
									 : read_committed,
						 ask_idle_worker, s };

	return presenter_client_list(s->presenter, type, body, &s->units, &memory, ret, err);
}

void present_value(struct supervisor *s, const struct presenter_value *v, struct buffer *out)
{
	cleanup_buffer struct buffer body = BUFFER_INIT;
	struct error err = ERROR_INIT;
	struct presenter_view view;

	presenter_value_put(v, &body);
	if (present(s, PRESENTER_VALUE, &body, &view, &err))
		buffer_printf(out, "<%zu bytes of %s: %s>", v->len, v->type, err.text);
	else
		buffer_append(out, buffer_text(&view.text), view.text.len);
	presenter_view_release(&view);
}

static int present_bytes(struct supervisor *s, uint32_t type, const void *bytes, size_t len,
			 struct presenter_view *ret, struct error *err)
{
	cleanup_buffer struct buffer body = BUFFER_INIT;

	buffer_append(&body, bytes, len);
	return present(s, type, &body, ret, err);
}

int present_trace(struct supervisor *s, const void *bytes, size_t len, struct presenter_view *ret,
		  struct error *err)
{
	return present_bytes(s, PRESENTER_TRACE, bytes, len, ret, err);
}

int present_profile(struct supervisor *s, const void *bytes, size_t len, struct presenter_view *ret,
		    struct error *err)
{
	return present_bytes(s, PRESENTER_PROFILE, bytes, len, ret, err);
}

int present_variables(struct supervisor *s, const struct presenter_part *variables, size_t n,
		      struct buffer *ret, struct error *err)
{
	cleanup_buffer struct buffer body = BUFFER_INIT;

	for (size_t i = 0; i < n; i++)
		presenter_part_put(&variables[i], &body);
	return list(s, PRESENTER_VARIABLES, &body, ret, err);
}

int present_parts(struct supervisor *s, const struct presenter_part *p,
		  const struct presenter_range *which, struct buffer *ret, struct error *err)
{
	cleanup_buffer struct buffer body = BUFFER_INIT;

	presenter_part_put(p, &body);
	presenter_range_put(which, &body);
	return list(s, PRESENTER_PARTS, &body, ret, err);
}

int present_picture(struct supervisor *s, const struct presenter_part *p,
		    struct presenter_view *ret, struct error *err)
{
	cleanup_buffer struct buffer body = BUFFER_INIT;

	presenter_part_put(p, &body);
	return present(s, PRESENTER_PICTURE, &body, ret, err);
}
