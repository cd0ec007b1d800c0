/* SPDX-License-Identifier: Apache-2.0 */
/* What a client has sent may be of any type, and is then as if it were not there. */
#include "kernel/debugger/debug-call.h"

const char *debug_call_text(const struct debug_call *c, const char *key)
{
	const char *text = json_string_value(json_object_get(c->arguments, key));

	return text ? text : "";
}

json_int_t debug_call_number(const struct debug_call *c, const char *key)
{
	const json_t *value = json_object_get(c->arguments, key);

	return json_is_integer(value) ? json_integer_value(value) : -1;
}
