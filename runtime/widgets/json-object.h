/* SPDX-License-Identifier: Apache-2.0 */
/* JSON objects as text: what a widget's state needs, checked as strictly as the kernel process will
 * read it. */
#ifndef CGPU_RUNTIME_WIDGETS_JSON_OBJECT_H
#define CGPU_RUNTIME_WIDGETS_JSON_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;

struct json_part {
	const char *at; /* borrowed; of a key what stands between the quotes */
	size_t len;
};

/* Is the text one JSON value, or one JSON object? */
bool json_object_is_value(const char *text);
bool json_object_is_object(const char *text);

/* The members of an object that is one, in order: *at begins as its text. False: no more. */
bool json_object_next(const char **at, struct json_part *ret_key, struct json_part *ret_value);
/* The value of a key; false: there is none. */
bool json_object_find(const char *object, struct json_part key, struct json_part *ret_value);
bool json_object_member(const char *object, const char *key, struct json_part *ret_value);
/* Appends the object with this member in place of that of the same key, or behind the others. */
void json_object_put(const char *object, struct json_part key, struct json_part value,
		     struct buffer *out);

/* A number, or 1 for true; 0 for all else. */
double json_object_number(struct json_part value);
/* Appends a string's characters; nothing for all else. */
void json_object_text(struct json_part value, struct buffer *out);

static inline struct json_part json_part_of(const char *text, size_t len)
{
	return (struct json_part){ text, len };
}

#endif
