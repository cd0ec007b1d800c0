/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deny by default: a word passes by a row of the table, or as the value of the word before it. A
 * value never begins with a dash, so a word that is dropped on the way to the program cannot turn
 * a value into a flag. Where a flag carries flags for another program, those are checked by that
 * program's rows. nvcc hands its words to a shell, so nothing that a shell expands is let through
 * to it.
 */
#include "common/text/allowed-flags.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/text/flag-words.h"

#define WORDS_MAX 256
/* What a setting has besides letters and digits. */
#define PLAINLY "_+.=:-"
#define LISTED PLAINLY ","
#define NAMED "_+.:-"
#define OF_SHELL "`$\\\n"

enum form { ALONE, SWITCH, PLAIN, LIST, REST, VALUE, NAME, SETTING, HOST, PTXAS, FRONT };

static const struct row {
	enum allowed_flags_tool tool;
	enum form form;
	const char *name;
} rows[] = {
#define ALLOWED_FLAG(tool, form, name) { ALLOWED_FLAGS_##tool, form, name },
#include "common/text/allowed-flags.def"
#undef ALLOWED_FLAG
};

static const char *const device_names[] = {
#define DEVICE_FLAG(name, of_clang) name,
#include "common/text/device-flags.def"
#undef DEVICE_FLAG
};

static bool has_only(const char *text, const char *besides)
{
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr(besides, *text))
			return false;
	return true;
}

static bool is_value(const char *text)
{
	return *text && *text != '-';
}

static bool is_switched_off(const char *word, const char *name)
{
	return !strncmp(word, name, 2) && !strncmp(word + 2, "no-", 3) &&
	       !strcmp(word + 5, name + 2);
}

static bool list_is_allowed(enum allowed_flags_tool tool, const char *list);

/* Tells whether the text may be the value of a flag. */
static bool value_is_allowed(enum form form, const char *value)
{
	switch (form) {
	case HOST:
		return list_is_allowed(ALLOWED_FLAGS_CLANG, value);
	case PTXAS:
		return list_is_allowed(ALLOWED_FLAGS_PTXAS, value);
	case FRONT:
		return list_is_allowed(ALLOWED_FLAGS_FRONT, value);
	case NAME:
		return is_value(value) && has_only(value, NAMED);
	case SETTING:
		return is_value(value) && has_only(value, LISTED);
	default:
		return is_value(value);
	}
}

/* Returns how many words the row allows at the front: 0, 1, or 2 with a value. */
static size_t by_row(const struct row *row, const char *const *words, size_t n)
{
	size_t len = strlen(row->name);
	const char *rest = words[0] + len;

	if (row->form == SWITCH && is_switched_off(words[0], row->name))
		return 1;
	if (strncmp(words[0], row->name, len))
		return 0;
	if (row->form == ALONE || row->form == SWITCH)
		return !*rest;
	if (row->form == REST)
		return 1;
	if (row->form == PLAIN || row->form == LIST)
		return has_only(rest, row->form == LIST ? LISTED : PLAINLY);
	if (!*rest)
		return n > 1 && value_is_allowed(row->form, words[1]) ? 2 : 0;
	if (row->form == VALUE || row->form == NAME)
		return value_is_allowed(row->form, rest);
	return *rest == '=' && value_is_allowed(row->form, rest + 1);
}

/* Returns how many words at the front are allowed; 0: the first is not. */
static size_t by_rows(enum allowed_flags_tool tool, const char *const *words, size_t n)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t taken = rows[i].tool == tool ? by_row(&rows[i], words, n) : 0;

		if (taken)
			return taken;
	}
	return 0;
}

/* Checks the flags of a list for another program, which are parted by commas and blanks. */
static bool list_is_allowed(enum allowed_flags_tool tool, const char *list)
{
	cleanup_free char *copy = strdup(list);
	const char *words[WORDS_MAX];
	size_t n = 0, taken;
	char *rest = NULL;

	for (char *word = copy ? strtok_r(copy, ", \t", &rest) : NULL; word;
	     word = strtok_r(NULL, ", \t", &rest)) {
		if (n == WORDS_MAX)
			return false;
		words[n++] = word;
	}
	for (size_t i = 0; i < n; i += taken) {
		taken = by_rows(tool, words + i, n - i);
		if (!taken)
			return false;
	}
	return n > 0;
}

static bool is_of_device(const char *word)
{
	size_t dashes = strspn(word, "-");

	if (!dashes || dashes > 2)
		return false;
	word += dashes;
	for (size_t i = 0; i < sizeof(device_names) / sizeof(*device_names); i++) {
		size_t len = strlen(device_names[i]);

		if (device_names[i][len - 1] == '='
			    ? !strncmp(word, device_names[i], len) && has_only(word + len, LISTED)
			    : !strcmp(word, device_names[i]))
			return true;
	}
	return false;
}

static size_t allowed(enum allowed_flags_tool tool, const char *const *words, size_t n)
{
	size_t taken = by_rows(tool, words, n);

	if (!taken && tool == ALLOWED_FLAGS_LINK)
		return *words[0] && !strchr("-@", *words[0]);
	if (!taken && tool == ALLOWED_FLAGS_DEVICE)
		return is_of_device(words[0]);
	for (size_t i = 0; i < taken && tool == ALLOWED_FLAGS_NVCC; i++)
		if (strpbrk(words[i], OF_SHELL))
			return 0;
	return taken;
}

int allowed_flags_check(enum allowed_flags_tool tool, const char *const *words, size_t n,
			struct error *err)
{
	for (size_t i = 0, taken; i < n; i += taken) {
		taken = allowed(tool, words + i, n - i);
		if (!taken)
			return error_set(
				err, ERROR_INPUT,
				"%.300s is not among the flags that cells may use, which "
				"neither run other code nor write files (docs/libraries.md, "
				"\"Flags\", lists them)%s",
				words[i],
				tool == ALLOWED_FLAGS_DEVICE
					? "; a %%cuda cell takes more of nvcc's"
					: "");
	}
	return 0;
}

int allowed_flags_check_line(enum allowed_flags_tool tool, const char *line, struct error *err)
{
	cleanup_free char *copy = strdup(line);
	const char *words[WORDS_MAX];
	char *at = copy, *word;
	size_t n = 0;

	if (!copy)
		return error_set(err, ERROR_MEMORY, "out of memory for flags");
	while ((word = flag_words_next(&at))) {
		if (n == WORDS_MAX)
			return error_set(err, ERROR_LIMIT, "more than %d flags", WORDS_MAX);
		words[n++] = word;
	}
	return allowed_flags_check(tool, words, n, err);
}
