/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of values; cgpu-presenter writes them as text. */
#include "kernel/session/result.h"

#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/declarations/declarations.h"
#include "kernel/session/session.h"
#include "kernel/supervisor/present.h"
#include "kernel/supervisor/supervisor.h"
#include "kernel/views/owner-text.h"
#include "kernel/views/presenter-value.h"

#define VALUE_MAX (1u << 20)

void result_owner(struct session *s, unsigned long long address, struct buffer *out)
{
	struct address_description d = { 0 };
	struct error err = ERROR_INIT;
	uint64_t at = address;

	if (question_describe(s->supervisor, &at, 1, &d, &err))
		log_info("describe: %s", err.text);
	else
		owner_text(&d, at, out);
}

void result_text(struct session *s, const void *record, size_t len, struct buffer *out)
{
	struct record r = record_open(record, len);
	struct presenter_value v = { .pointers = PRESENTER_POINTERS_OWNERS };
	struct error err = ERROR_INIT;

	v.type = record_str(&r);
	v.code = record_str(&r);
	v.bytes = record_bytes(&r, &v.len);
	v.target = record_bytes(&r, &v.target_len);
	if (record_check(&r, "result", &err))
		buffer_printf(out, "<%s>", err.text);
	else if (!strcmp(v.code, "t"))
		buffer_append(out, v.bytes, v.len);
	else
		present_value(s->supervisor, &v, out);
}

/* A managed variable is the same on both. */
bool result_is_on_device(const struct session *s, const struct unit_variable *var)
{
	const struct declaration *d = declarations_find(&s->declarations, var->name);

	return d && d->kind == DECLARATION_DEVICE_VARIABLE && !strstr(d->device, "__managed__");
}

void result_variable(struct session *s, const struct unit_variable *var, size_t max,
		     struct buffer *out)
{
	struct presenter_value v = {
		.type = var->type,
		.code = var->type_code,
		.max = max,
		.pointers = max ? PRESENTER_POINTERS_TARGETS : PRESENTER_POINTERS_OWNERS,
	};
	cleanup_buffer struct buffer bytes = BUFFER_INIT;

	v.len = var->size < VALUE_MAX ? var->size : VALUE_MAX;
	if (!buffer_extend(&bytes, v.len) ||
	    supervisor_read(s->supervisor, var->address, bytes.data, v.len)) {
		buffer_puts(out, "<not in session memory>");
		return;
	}
	if (result_is_on_device(s, var)) {
		if (question_read_device(s->supervisor, var->address, bytes.data, v.len, NULL)) {
			buffer_puts(out, "<on the device>");
			return;
		}
		buffer_puts(out, "device: ");
	}
	v.bytes = bytes.data;
	present_value(s->supervisor, &v, out);
}
