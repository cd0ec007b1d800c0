/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message of a comm, as the kernel process takes it from the ring and the worker from WORKER_RUN.
 * Its JSON must be none for both or good for both: what a cell was not told, its front end would
 * never see. Input: the record.
 */
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/record.h"
#include "common/protocol/comm-message.h"
#include "kernel/show/cell-json.h"
#include "runtime/widgets/json-object.h"
#include "tests/fuzz/fuzz.h"

static void use_object(const char *json)
{
	cleanup_buffer struct buffer text = BUFFER_INIT, changed = BUFFER_INIT;
	struct json_part key, value, found;

	for (const char *at = json; json_object_next(&at, &key, &value);) {
		json_object_number(value);
		json_object_text(value, &text);
		if (!json_object_find(json, key, &found))
			__builtin_trap();
		buffer_clear(&changed);
		json_object_put(json, key, json_part_of("[]", 2), &changed);
		if (!json_object_is_object(buffer_text(&changed)) ||
		    !json_object_find(buffer_text(&changed), key, &found) || found.len != 2)
			__builtin_trap();
	}
}

/* The two differ in how deep lists may be, and which bytes are text; this one says neither. */
static bool is_comparable(const char *json)
{
	unsigned depth = 0;

	for (const char *p = json; *p; p++) {
		depth += *p == '[' || *p == '{';
		if ((unsigned char)*p >= 0x80)
			return false;
	}
	return depth < 500;
}

static bool one(const uint8_t *data, size_t size)
{
	struct record r = record_open(data, size);
	struct comm_message m;
	json_t *value;
	bool good;

	if (comm_message_take(&r, &m, NULL))
		return false;
	good = json_object_is_value(m.json);
	if (good)
		use_object(m.json);
	value = cell_json("comm", m.json, strlen(m.json), NULL);
	if (is_comparable(m.json) && good != (value != NULL))
		__builtin_trap();
	json_decref(value);
	return true;
}

static bool seed(unsigned i, struct buffer *to)
{
	static const char *const texts[] = {
		"{\"value\":3,\"description\":\"a \\\"b\\\" "
		"\\u20ac\",\"children\":[\"IPY_MODEL_1\"]}",
		"{\"a\":{\"b\":[1,-2.5e+3,0,true,false,null]},\"a\":\"\\ud83d\\ude00\\n\"}",
		" [ 1 , 9223372036854775807 , 1e308 ] ",
		"\"text\"",
		"null",
		"{\"a\\u0000b\":[\"c\\u0000d\"]}",
		"{}",
	};
	struct comm_message m = { COMM_UPDATE, "0123", "jupyter.widget", "", 1, { { "abc", 3 } } };

	if (i >= sizeof(texts) / sizeof(texts[0]))
		return false;
	m.json = texts[i];
	comm_message_put(&m, to);
	return true;
}

const struct fuzz_target fuzz_comm = { one, seed, 20000 };
