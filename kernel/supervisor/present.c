/* SPDX-License-Identifier: Apache-2.0 */
/* The memory is the committed one, and who owns an address is asked of the idle worker; while a
 * cell stands, both are its worker's. */
#include "kernel/supervisor/present.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/memory/address-map.h"
#include "common/protocol/presenter-protocol.h"
#include "kernel/cell-run/cell-stop.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/supervisor/supervisor.h"
#include "kernel/views/presenter-part.h"
#include "kernel/views/presenter-value.h"
#include "kernel/views/presenter-view.h"
#include "kernel/workers/presenter-client.h"
#include "kernel/workers/question.h"
#include "kernel/workers/worker-pool.h"
#include "kernel/workers/worker.h"

/* Who is asked for one text. A worker that does not answer is not asked again. */
struct asked {
	struct supervisor *supervisor;
	bool is_silent;
	struct presenter_subject standing;
};

static bool read_committed(void *data, uint64_t address, void *ret, size_t len)
{
	const struct asked *a = data;

	return !supervisor_read(a->supervisor, address, ret, len);
}

static bool take_answer(struct asked *a, int failed, const struct error *err)
{
	if (!failed)
		return true;
	log_info("the idle worker: %s", err->text);
	a->is_silent = err->code == ERROR_TIMEOUT;
	return false;
}

/* Reads what cells have on the device, too, which the idle worker is asked for. */
static bool read_anywhere(void *data, uint64_t address, void *ret, size_t len)
{
	struct error err = ERROR_INIT;
	struct asked *a = data;

	if (read_committed(data, address, ret, len))
		return true;
	return !a->is_silent && address_in_device(address) &&
	       take_answer(a, question_read_device(a->supervisor, address, ret, len, &err), &err);
}

static bool ask_idle_worker(void *data, uint64_t address, struct address_description *ret)
{
	struct error err = ERROR_INIT;
	struct asked *a = data;

	return !a->is_silent &&
	       take_answer(a, question_describe(a->supervisor, &address, 1, ret, &err), &err);
}

static struct presenter_subject standing_worker(const struct supervisor *s)
{
	const struct worker *w = s->pool->active;

	return (struct presenter_subject){ &s->units, w->pid, w->control, true };
}

/* with_device: what cells have on the device is read, too. */
static struct presenter_memory memory_for(struct asked *a, bool with_device)
{
	if (a->supervisor->stop->is_stopped) {
		a->standing = standing_worker(a->supervisor);
		return presenter_client_memory_of(&a->standing);
	}
	return (struct presenter_memory){ with_device ? read_anywhere : read_committed,
					  ask_idle_worker, a };
}

static int present(struct supervisor *s, uint32_t type, const struct buffer *body,
		   struct presenter_view *ret, struct error *err)
{
	struct asked asked = { .supervisor = s };
	const struct presenter_memory memory =
		memory_for(&asked, type == PRESENTER_PICTURE || type == PRESENTER_VALUE);

	return presenter_client_view(s->presenter, type, body, &s->units, &memory, ret, err);
}

static int list(struct supervisor *s, uint32_t type, const struct buffer *body, struct buffer *ret,
		struct error *err)
{
	struct asked asked = { .supervisor = s };
	/* A list of variables is made behind each cell, so the device is left alone for it. */
	const struct presenter_memory memory = memory_for(&asked, type == PRESENTER_PARTS);

	return presenter_client_list(s->presenter, type, body, &s->units, &memory, ret, err);
}

static int ask_standing(struct supervisor *s, uint32_t type, const struct buffer *body,
			struct buffer *ret, struct error *err)
{
	struct presenter_subject subject;

	if (!s->stop->is_stopped)
		return error_set(err, ERROR_STATE, "no cell stands at a breakpoint");
	subject = standing_worker(s);
	return presenter_client_stack(s->presenter, type, &subject.control->fault, &subject, body,
				      ret, err);
}

int present_stack(struct supervisor *s, struct buffer *ret, struct error *err)
{
	return ask_standing(s, PRESENTER_STACK, &(struct buffer)BUFFER_INIT, ret, err);
}

int present_locals(struct supervisor *s, uint32_t frame, uint32_t call, struct buffer *ret,
		   struct error *err)
{
	cleanup_buffer struct buffer body = BUFFER_INIT;

	record_put_u32(&body, frame);
	record_put_u32(&body, call);
	return ask_standing(s, PRESENTER_LOCALS, &body, ret, err);
}

int present_expression(struct supervisor *s, uint32_t frame, uint32_t call,
		       const struct buffer *program, struct buffer *answer,
		       struct presenter_result *ret, struct error *err)
{
	cleanup_buffer struct buffer body = BUFFER_INIT;

	record_put_u32(&body, frame);
	record_put_u32(&body, call);
	record_put_bytes(&body, program->data, program->len);
	if (ask_standing(s, PRESENTER_EXPRESSION, &body, answer, err) ||
	    presenter_result_take(answer->data, answer->len, ret, err))
		return -1;
	return *ret->failure ? error_set(err, ERROR_INPUT, "%s", ret->failure) : 0;
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
	record_put_u64(&body, s->stop->is_stopped ? s->pool->active->control->fault.device : 0);
	return list(s, PRESENTER_PARTS, &body, ret, err);
}

int present_picture(struct supervisor *s, const struct presenter_part *p,
		    struct presenter_view *ret, struct error *err)
{
	cleanup_buffer struct buffer body = BUFFER_INIT;

	presenter_part_put(p, &body);
	return present(s, PRESENTER_PICTURE, &body, ret, err);
}
