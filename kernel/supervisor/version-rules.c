/* SPDX-License-Identifier: Apache-2.0 */
/* The table, and the facts that it is asked about. A library bears the number of its CUDA when its name is in `named`. */
#include "kernel/supervisor/version-rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const named[] = { "libcublas.so.", "libcublasLt.so.", "libcudart.so.", "libnvJitLink.so.", "libnvrtc.so." };

static void put_version(uint32_t version, char ret[16])
{
	if (version)
		snprintf(ret, 16, "%u.%u", version / 1000, version % 1000 / 10);
	else
		ret[0] = '\0';
}

size_t version_rules_count(void)
{
	return 0
#define VERSION_RULE(name, condition, first, second, detail, hint) + 1
#include "kernel/supervisor/version-rules.def"
#undef VERSION_RULE
	;
}

void version_rules_check(size_t i, const struct version_facts *f, struct version_verdict *ret)
{
	char a[16], b[16];
	size_t n = 0;

	*ret = (struct version_verdict){ .name = "", .ok = true, .hint = "" };
#define VERSION_RULE(name_, condition, first, second, detail_, hint_)                                      \
	if (n++ == i) {                                                                                    \
		ret->name = name_;                                                                         \
		ret->ok = condition;                                                                       \
		ret->hint = hint_;                                                                         \
		put_version(first, a);                                                                     \
		put_version(second, b);                                                                    \
		snprintf(ret->detail, sizeof(ret->detail), detail_, n == 1 ? f->passed_over : "", a, b);   \
	}
#include "kernel/supervisor/version-rules.def"
#undef VERSION_RULE
}

void version_rules_add_library(struct version_facts *f, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		size_t len = strlen(named[i]);
		uint32_t version;

		if (strncmp(name, named[i], len))
			continue;
		version = (uint32_t)strtoul(name + len, NULL, 10) * 1000;
		if (!version)
			continue;
		if (!f->library_oldest || version < f->library_oldest)
			f->library_oldest = version;
		if (version > f->library_newest)
			f->library_newest = version;
	}
}

uint32_t version_rules_parse(const char *text)
{
	unsigned major = 0, minor = 0;

	return sscanf(text, "%u.%u", &major, &minor) == 2 ? major * 1000 + minor * 10 : 0;
}
