/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table is made from symbol-packages.def and is searched from start to end: it is used only
 * when a link has failed. The longest matching prefix counts, so that the entry for a more special
 * name wins whatever the order of the file.
 */
#include "runtime/loader/symbol-packages.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *start, *package;
} prefixes[] = {
#define PREFIX(start, package) { start, package },
#include "runtime/loader/symbol-packages.def"
#undef PREFIX
};

const char *symbol_packages_find(const char *symbol)
{
	const char *best = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t len = strlen(prefixes[i].start);

		if (len > longest && !strncmp(symbol, prefixes[i].start, len)) {
			best = prefixes[i].package;
			longest = len;
		}
	}
	return best;
}
