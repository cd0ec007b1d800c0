/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A value is skipped by one function, which knows all of JSON; everything else walks with it. Keys
 * are compared as they are written, since front ends escape none that widgets have.
 */
#include "runtime/widgets/json-object.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"

#define DEPTH_MAX 512

static const char *blanks(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

static const char *digits(const char *p)
{
	return isdigit((unsigned char)*p) ? p + strspn(p, "0123456789") : NULL;
}

static bool is_hex4(const char *p)
{
	for (int i = 0; i < 4; i++)
		if (!isxdigit((unsigned char)p[i]))
			return false;
	return true;
}

static unsigned hex4(const char *p)
{
	char text[5] = { p[0], p[1], p[2], p[3], '\0' };

	return (unsigned)strtoul(text, NULL, 16);
}

/* p is at the u; returns the last character of it, and of the other half of a pair. */
static const char *skip_unicode(const char *p)
{
	unsigned c;

	if (!is_hex4(p + 1))
		return NULL;
	c = hex4(p + 1);
	p += 4;
	if (c < 0xd800 || c >= 0xe000)
		return p;
	if (c >= 0xdc00 || p[1] != '\\' || p[2] != 'u' || !is_hex4(p + 3))
		return NULL;
	c = hex4(p + 3);
	return c >= 0xdc00 && c < 0xe000 ? p + 6 : NULL;
}

/* p is behind the first quote. A key is a string of C for whoever looks it up, so it has no NUL. */
static const char *skip_string(const char *p, bool is_key)
{
	for (; *p != '"'; p++) {
		if ((unsigned char)*p < ' ')
			return NULL;
		if (*p != '\\')
			continue;
		p++;
		if (*p == 'u' && is_key && !strncmp(p + 1, "0000", 4))
			return NULL;
		if (*p == 'u')
			p = skip_unicode(p);
		else if (!*p || !strchr("\"\\/bfnrt", *p))
			return NULL;
		if (!p)
			return NULL;
	}
	return p + 1;
}

/* Can a front end's number be that large? */
static bool is_in_range(const char *text, bool is_integer)
{
	long long whole;

	if (!is_integer)
		return isfinite(strtod(text, NULL));
	errno = 0;
	whole = strtoll(text, NULL, 10);
	return !errno || (whole != LLONG_MAX && whole != LLONG_MIN);
}

static const char *skip_number(const char *p)
{
	const char *begin = p, *behind_digits;

	p += *p == '-';
	p = behind_digits = *p == '0' ? p + 1 : digits(p);
	if (p && *p == '.')
		p = digits(p + 1);
	if (p && (*p == 'e' || *p == 'E')) {
		p++;
		p = digits(p + (*p == '+' || *p == '-'));
	}
	return p && is_in_range(begin, p == behind_digits) ? p : NULL;
}

static const char *skip_word(const char *p, const char *word)
{
	return strncmp(p, word, strlen(word)) ? NULL : p + strlen(word);
}

static const char *skip(const char *p, int depth);

/* p is behind the bracket that begins it. */
static const char *skip_list(const char *p, bool has_keys, int depth)
{
	char end = has_keys ? '}' : ']';

	p = blanks(p);
	if (*p == end)
		return p + 1;
	for (;;) {
		if (has_keys) {
			p = *p == '"' ? skip_string(p + 1, true) : NULL;
			p = p ? blanks(p) : NULL;
			if (!p || *p != ':')
				return NULL;
			p = blanks(p + 1);
		}
		p = skip(p, depth + 1);
		p = p ? blanks(p) : NULL;
		if (!p || (*p != ',' && *p != end))
			return NULL;
		if (*p == end)
			return p + 1;
		p = blanks(p + 1);
	}
}

/* Returns what is behind the value that begins there; NULL: none does. */
static const char *skip(const char *p, int depth)
{
	if (depth > DEPTH_MAX)
		return NULL;
	switch (*p) {
	case '{':
		return skip_list(p + 1, true, depth);
	case '[':
		return skip_list(p + 1, false, depth);
	case '"':
		return skip_string(p + 1, false);
	case 't':
		return skip_word(p, "true");
	case 'f':
		return skip_word(p, "false");
	case 'n':
		return skip_word(p, "null");
	default:
		return skip_number(p);
	}
}

bool json_object_is_value(const char *text)
{
	const char *end = skip(blanks(text), 0);

	return end && !*blanks(end);
}

bool json_object_is_object(const char *text)
{
	return *blanks(text) == '{' && json_object_is_value(text);
}

bool json_object_next(const char **at, struct json_part *ret_key, struct json_part *ret_value)
{
	const char *p = blanks(*at), *end;

	if (*p != '{' && *p != ',')
		return false;
	p = blanks(p + 1);
	end = *p == '"' ? skip_string(p + 1, true) : NULL;
	if (!end)
		return false;
	*ret_key = json_part_of(p + 1, (size_t)(end - p - 2));
	p = blanks(end);
	p = *p == ':' ? blanks(p + 1) : NULL;
	end = p ? skip(p, 1) : NULL;
	if (!end)
		return false;
	*ret_value = json_part_of(p, (size_t)(end - p));
	*at = end;
	return true;
}

static bool is_key(struct json_part a, struct json_part b)
{
	return a.len == b.len && !memcmp(a.at, b.at, a.len);
}

bool json_object_find(const char *object, struct json_part key, struct json_part *ret_value)
{
	struct json_part k, v;
	bool found = false;

	while (json_object_next(&object, &k, &v))
		if (is_key(k, key)) {
			*ret_value = v;
			found = true;
		}
	return found;
}

bool json_object_member(const char *object, const char *key, struct json_part *ret_value)
{
	return json_object_find(object, json_part_of(key, strlen(key)), ret_value);
}

static void put_member(struct buffer *out, struct json_part key, struct json_part value)
{
	buffer_puts(out, out->len ? ",\"" : "{\"");
	buffer_append(out, key.at, key.len);
	buffer_puts(out, "\":");
	buffer_append(out, value.at, value.len);
}

void json_object_put(const char *object, struct json_part key, struct json_part value,
		     struct buffer *out)
{
	struct json_part k, v;
	bool found = false;

	while (json_object_next(&object, &k, &v)) {
		if (!is_key(k, key))
			put_member(out, k, v);
		else if (!found)
			put_member(out, key, value);
		found = found || is_key(k, key);
	}
	if (!found)
		put_member(out, key, value);
	buffer_putc(out, '}');
}

double json_object_number(struct json_part value)
{
	if (value.len == 4 && !strncmp(value.at, "true", 4))
		return 1;
	return value.len && (*value.at == '-' || isdigit((unsigned char)*value.at))
		       ? strtod(value.at, NULL)
		       : 0;
}

static void put_utf8(struct buffer *out, unsigned c)
{
	if (c < 0x80) {
		buffer_putc(out, (char)c);
	} else if (c < 0x800) {
		buffer_putc(out, (char)(0xc0 | c >> 6));
		buffer_putc(out, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		buffer_putc(out, (char)(0xe0 | c >> 12));
		buffer_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
		buffer_putc(out, (char)(0x80 | (c & 0x3f)));
	} else {
		buffer_putc(out, (char)(0xf0 | c >> 18));
		buffer_putc(out, (char)(0x80 | (c >> 12 & 0x3f)));
		buffer_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
		buffer_putc(out, (char)(0x80 | (c & 0x3f)));
	}
}

/* p is at the u of an escape; returns its last character. */
static const char *put_unicode(struct buffer *out, const char *p)
{
	unsigned c = hex4(p + 1);

	p += 4;
	if (c >= 0xd800 && c < 0xe000) {
		c = 0x10000 + ((c & 0x3ff) << 10 | (hex4(p + 3) & 0x3ff));
		p += 6;
	}
	/* Text of C ends at a zero. */
	put_utf8(out, c ? c : 0xfffd);
	return p;
}

void json_object_text(struct json_part value, struct buffer *out)
{
	static const char escapes[] = "bfnrt", means[] = "\b\f\n\r\t";
	const char *end = value.at + value.len, *known;

	if (value.len < 2 || *value.at != '"')
		return;
	for (const char *p = value.at + 1; p < end - 1; p++) {
		if (*p != '\\') {
			buffer_putc(out, *p);
			continue;
		}
		p++;
		known = strchr(escapes, *p);
		if (*p == 'u')
			p = put_unicode(out, p);
		else
			buffer_putc(out, known ? means[known - escapes] : *p);
	}
}
