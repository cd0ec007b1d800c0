/* SPDX-License-Identifier: Apache-2.0 */
/* Connects value-format.c with the memory of the session. */
#include "kernel/session/result.h"

#include "common/protocol/compiler-protocol.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/worker-protocol.h"
#include "common/text/demangle.h"
#include "kernel/declarations/declarations.h"
#include "kernel/session/session.h"
#include "kernel/show/value-format.h"
#include "kernel/supervisor/supervisor.h"

#define VALUE_MAX (1u << 20)

static int read_session(void *data, uint64_t address, void *out, size_t len)
{
	struct session *s = data;

	return supervisor_read(s->supervisor, address, out, len);
}

/* Returns the name to show: on the host a device entry is the stub function that launches it. */
static const char *shown_name(const char *name, char *ret, size_t size)
{
	static const char stub[] = "__device_stub__";
	const char *at;

	demangle(name, ret, size);
	at = strstr(ret, stub);
	return at ? at + strlen(stub) : ret;
}

static void describe(const struct address_description *d, uint64_t address, struct buffer *out)
{
	uint64_t offset = address - d->base;
	char name[sizeof(d->name)];

	switch (d->owner) {
	case OWNER_HEAP:
		buffer_printf(out, "%" PRIu64 " bytes on the heap", d->size);
		break;
	case OWNER_HEAP_FREED:
		buffer_printf(out, "freed in In[%" PRIu32 "]; %" PRIu64 " bytes", d->freed_cell,
			      d->size);
		break;
	case OWNER_VARIABLE:
	case OWNER_CODE:
		buffer_printf(
			out, offset && d->owner == OWNER_VARIABLE ? "%s + %" PRIu64 " bytes" : "%s",
			shown_name(d->name, name, sizeof(name)), offset);
		break;
	case OWNER_DEVICE:
		buffer_printf(out, "%" PRIu64 " bytes on the device", d->size);
		break;
	case OWNER_DEVICE_FREED:
		buffer_puts(out, "device memory that was freed");
		break;
	case OWNER_STACK:
		buffer_puts(out, "the stack of a cell that has ended");
		return;
	case OWNER_LIBRARY:
		buffer_puts(out, *d->name ? d->name : "a library");
		return;
	default:
		return;
	}
	if (offset && (d->owner == OWNER_HEAP || d->owner == OWNER_DEVICE))
		buffer_printf(out, " + %" PRIu64, offset);
	if (d->cell)
		buffer_printf(out, ", In[%" PRIu32 "]", d->cell);
}

void result_owner(struct session *s, unsigned long long address, struct buffer *out)
{
	struct address_description d = { 0 };
	struct error err = ERROR_INIT;
	uint64_t at = address;

	if (question_describe(s->supervisor, &at, 1, &d, &err))
		log_info("describe: %s", err.text);
	else
		describe(&d, at, out);
}

static void owner(void *data, uint64_t address, struct buffer *out)
{
	result_owner(data, address, out);
}

void result_text(struct session *s, const void *record, size_t len, struct buffer *out)
{
	struct record r = record_open(record, len);
	struct value_text v = { .reader = { read_session, owner, s } };
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
		value_format(&v, out);
}

/* Tells whether a variable is on the device, where the host has only a stand-in. A managed variable
 * is the same on both. */
static bool is_on_device(const struct session *s, const struct unit_variable *var)
{
	const struct declaration *d = declarations_find(&s->declarations, var->name);

	return d && d->kind == DECLARATION_DEVICE_VARIABLE && !strstr(d->device, "__managed__");
}

void result_variable(struct session *s, const struct unit_variable *var, size_t max,
		     struct buffer *out)
{
	struct value_text v = { .type = var->type,
				.code = var->type_code,
				.max = max,
				.reader = { read_session, max ? NULL : owner, s } };
	cleanup_buffer struct buffer bytes = BUFFER_INIT;

	v.len = var->size < VALUE_MAX ? var->size : VALUE_MAX;
	if (!buffer_extend(&bytes, v.len) ||
	    supervisor_read(s->supervisor, var->address, bytes.data, v.len)) {
		buffer_puts(out, "<not in session memory>");
		return;
	}
	if (is_on_device(s, var)) {
		if (question_read_device(s->supervisor, var->address, bytes.data, v.len, NULL)) {
			buffer_puts(out, "<on the device>");
			return;
		}
		buffer_puts(out, "device: ");
	}
	v.bytes = bytes.data;
	value_format(&v, out);
}

static const struct unit_variable *find_variable(struct session *s, const char *name)
{
	const struct unit_variable *v;

	for (size_t n = supervisor_variables(s->supervisor, &v); n; n--, v++)
		if (!v->is_function && !strcmp(v->name, name))
			return v;
	return NULL;
}

int result_inspected(struct session *s, const char *name, uint32_t type, const void *payload,
		     size_t len, struct buffer *out)
{
	struct record r = record_open(payload, payload ? len : 0);
	const struct unit_variable *v;

	if (!payload || type != COMPILER_INSPECTED || !record_u8(&r))
		return 0;
	buffer_puts(out, record_str(&r));
	v = find_variable(s, name);
	if (v) {
		buffer_puts(out,
			    out->len && out->data[out->len - 1] != '\n' ? "\nvalue: " : "value: ");
		result_variable(s, v, 400, out);
	}
	return !r.failed;
}
