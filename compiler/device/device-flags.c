/* SPDX-License-Identifier: Apache-2.0 */
/* An option of nvcc has one dash or two; its value follows `=`, or a blank if the value is a macro
 * or a folder. */
#include "compiler/device/device-flags.h"

#include <stdbool.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/text/allowed-flags.h"
#include "common/text/flag-words.h"

static const struct {
	const char *name, *of_clang;
} flags[] = {
#define DEVICE_FLAG(name, of_clang) { name, of_clang },
#include "common/text/device-flags.def"
#undef DEVICE_FLAG
};

static void put(struct buffer *out, const char *word)
{
	buffer_printf(out, " '%s'", word);
}

/* Takes an option for both, with its value from *rest if that is a word of its own. */
static bool take_for_both(const char *word, char **rest, struct buffer *both)
{
	static const char *const names[] = { "-D", "-U", "-I", "-include", "-std=" };

	if (!strncmp(word, "--std=", 6))
		word++;
	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
		const char *value;

		if (strncmp(word, names[k], strlen(names[k])))
			continue;
		put(both, word);
		value = word[strlen(names[k])] ? NULL : flag_words_next(rest);
		if (value)
			put(both, value);
		return true;
	}
	return false;
}

/* Returns clang's form of an option. */
static const char *of_clang(const char *word)
{
	const char *name = word + strspn(word, "-");

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		size_t len = strlen(flags[i].name);
		bool has_value = flags[i].name[len - 1] == '=';

		if (has_value ? !strncmp(name, flags[i].name, len) : !strcmp(name, flags[i].name))
			return flags[i].of_clang;
	}
	return "";
}

int device_flags_read(const char *nvflags, struct buffer *both, struct buffer *device,
		      struct error *err)
{
	cleanup_free char *copy = strdup(nvflags);
	struct error problem = ERROR_INIT;
	char *at = copy, *word;

	if (!copy)
		return error_set(err, ERROR_MEMORY, "out of memory for options of device code");
	if (allowed_flags_check_line(ALLOWED_FLAGS_DEVICE, nvflags, &problem))
		return error_set(err, ERROR_COMPILE, "%%nvflags: %s", problem.text);
	while ((word = flag_words_next(&at)))
		if (!take_for_both(word, &at, both))
			buffer_printf(device, " %s", of_clang(word));
	return buffer_check(both, err) || buffer_check(device, err) ? -1 : 0;
}
