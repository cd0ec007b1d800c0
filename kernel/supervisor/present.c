/* SPDX-License-Identifier: Apache-2.0 */
/* The memory is the committed one; who owns an address is asked of the idle worker. */
#include "kernel/supervisor/present.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/protocol/presenter-protocol.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/supervisor/supervisor.h"
#include "kernel/views/presenter-value.h"
#include "kernel/views/presenter-view.h"
#include "kernel/workers/presenter-client.h"
#include "kernel/workers/question.h"

static bool read_committed(void *data, uint64_t address, void *ret, size_t len)
{
	return !supervisor_read(data, address, ret, len);
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
	const struct presenter_memory memory = { read_committed, ask_idle_worker, s };

	return presenter_client_view(s->presenter, type, body, &s->units, &memory, ret, err);
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
