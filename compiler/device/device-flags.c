/* SPDX-License-Identifier: Apache-2.0 */
/* An option of nvcc has one dash or two; its value follows `=`, or a blank if the value is a macro
 * or a folder. */
#include "compiler/device/device-flags.h"

#include <stdbool.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "compiler/session/options.h"

#define WORDS_MAX 64

static const struct {
	const char *name, *of_clang;
} flags[] = {
#define DEVICE_FLAG(name, of_clang) { name, of_clang },
#include "compiler/device/device-flags.def"
#undef DEVICE_FLAG
};

static void put(struct buffer *out, const char *word)
{
	buffer_printf(out, " '%s'", word);
}

/* Takes an option for both; *i advances to the value if that is a word of its own. */
static bool take_for_both(char *const *words, size_t n, size_t *i, struct buffer *both)
{
	static const char *const names[] = { "-D", "-U", "-I", "-include", "-std=" };
	const char *word = words[*i];

	if (!strncmp(word, "--std=", 6))
		word++;
	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
		if (strncmp(word, names[k], strlen(names[k])))
			continue;
		put(both, word);
		if (!word[strlen(names[k])] && *i + 1 < n)
			put(both, words[++*i]);
		return true;
	}
	return false;
}

/* Returns clang's form of an option; NULL: there is none. */
static const char *of_clang(const char *word)
{
	const char *name = word + strspn(word, "-");

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		size_t len = strlen(flags[i].name);
		bool has_value = flags[i].name[len - 1] == '=';

		if (has_value ? !strncmp(name, flags[i].name, len) : !strcmp(name, flags[i].name))
			return flags[i].of_clang;
	}
	return NULL;
}

int device_flags_read(const char *nvflags, struct buffer *both, struct buffer *device,
		      struct error *err)
{
	cleanup_free char *copy = strdup(nvflags);
	char *words[WORDS_MAX];
	size_t n = copy ? options_split(copy, (const char **)words, WORDS_MAX) : 0;

	if (!copy)
		return error_set(err, ERROR_MEMORY, "out of memory for options of device code");
	for (size_t i = 0; i < n; i++) {
		const char *found;

		if (take_for_both(words, n, &i, both))
			continue;
		found = of_clang(words[i]);
		if (!found)
			return error_set(err, ERROR_COMPILE,
					 "%%nvflags %s: cells have no such option for device code. "
					 "They have -use_fast_math, -fmad=, -ftz=, macros (-D, -U) "
					 "and folders (-I); a %%%%cuda cell takes all of nvcc's",
					 words[i]);
		buffer_printf(device, " %s", found);
	}
	return buffer_check(both, err) || buffer_check(device, err) ? -1 : 0;
}
