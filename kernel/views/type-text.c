/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers and arrays are collected until the type that they are made of is reached: in C the one
 * stands before them, and the dimensions behind. */
#include "kernel/views/type-text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/code/type-code.h"
#include "kernel/views/container-walk.h"

/* The names of numbers by the letter and the size of their code. */
static const struct {
	char letter;
	unsigned size;
	const char *name;
} numbers[] = {
	{ 'i', 1, "signed char" },
	{ 'i', 2, "short" },
	{ 'i', 4, "int" },
	{ 'i', 8, "long" },
	{ 'i', 16, "__int128" },
	{ 'u', 1, "unsigned char" },
	{ 'u', 2, "unsigned short" },
	{ 'u', 4, "unsigned" },
	{ 'u', 8, "unsigned long" },
	{ 'u', 16, "unsigned __int128" },
	{ 'f', 2, "half" },
	{ 'f', 4, "float" },
	{ 'f', 8, "double" },
	{ 'f', 16, "long double" },
	{ 'z', 4, "float _Complex" },
	{ 'z', 8, "double _Complex" },
	{ 'z', 16, "long double _Complex" },
	{ 'L', 2, "wchar_t" },
	{ 'L', 4, "wchar_t" },
	{ 'U', 2, "char16_t" },
	{ 'U', 4, "char32_t" },
};

static const char *number(char letter, unsigned long size)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].letter == letter && numbers[i].size == size)
			return numbers[i].name;
	return "?";
}

/* Appends "struct node"; the code is that of a record behind its letter. */
static void put_record(const char *keyword, const char *code, struct buffer *out)
{
	const char *name = strchr(code, '(');
	size_t len = name ? strcspn(++name, ")") : 0;

	buffer_puts(out, keyword);
	if (len) {
		buffer_putc(out, ' ');
		buffer_append(out, name, len);
	}
}

/* Appends the text of a code that ends where its type does. */
static void put_one(const char *code, struct buffer *out)
{
	cleanup_buffer struct buffer own = BUFFER_INIT;

	buffer_append(&own, code, (size_t)(type_code_skip(code) - code));
	type_text_put(buffer_text(&own), out);
}

/* Appends "vector<int>", "map<string, int>". */
static void put_container(const char *code, struct buffer *out)
{
	struct type_code_container c;
	struct container_pair pair;

	if (!type_code_container(code, &c))
		return;
	if (*c.element == 'c' && (c.shape == 'S' || c.shape == 'W')) {
		buffer_puts(out, c.shape == 'S' ? "string" : "string_view");
		return;
	}
	buffer_append(out, c.name, c.name_len);
	buffer_putc(out, '<');
	if (container_pair_of(&c, &pair)) {
		put_one(pair.key, out);
		buffer_puts(out, ", ");
		put_one(pair.value, out);
	} else {
		put_one(c.element, out);
	}
	buffer_putc(out, '>');
}

static void put_base(const char *code, struct buffer *out)
{
	switch (*code) {
	case 'v':
		buffer_puts(out, "void");
		break;
	case 'b':
		buffer_puts(out, "bool");
		break;
	case 'c':
		buffer_puts(out, "char");
		break;
	case 'F':
		buffer_puts(out, "function");
		break;
	case 'e':
		buffer_puts(out, "enum");
		break;
	case 's':
		put_record("struct", code + 1, out);
		break;
	case 'n':
		put_record("union", code + 1, out);
		break;
	case 'k':
		put_container(code, out);
		break;
	case '?':
		buffer_printf(out, "object of %lu bytes", strtoul(code + 1, NULL, 10));
		break;
	default:
		buffer_puts(out, number(*code, strtoul(code + 1, NULL, 10)));
	}
}

void type_text_put(const char *code, struct buffer *out)
{
	cleanup_buffer struct buffer stars = BUFFER_INIT, dimensions = BUFFER_INIT;
	bool is_pointer_to_array = false;
	char *end;

	for (; *code == 'p'; code++)
		buffer_putc(&stars, '*');
	is_pointer_to_array = stars.len && *code == 'a';
	while (*code == 'a' || *code == 'x') {
		buffer_printf(&dimensions, "[%lu]", strtoul(code + 1, &end, 10));
		code = end;
	}
	if (*code == 'p') /* an array of pointers: its stars stand with the type */
		type_text_put(code, out);
	else
		put_base(code, out);
	if (stars.len)
		buffer_putc(out, ' ');
	if (is_pointer_to_array)
		buffer_printf(out, "(%s)", buffer_text(&stars));
	else
		buffer_puts(out, buffer_text(&stars));
	buffer_puts(out, buffer_text(&dimensions));
}
