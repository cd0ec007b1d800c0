/* SPDX-License-Identifier: Apache-2.0 */
/* Which versions of driver, compiler and CUDA libraries go together: version-rules.def. */
#ifndef CGPU_KERNEL_SUPERVISOR_VERSION_RULES_H
#define CGPU_KERNEL_SUPERVISOR_VERSION_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VERSION_RULES_TEXT_MAX 512

/* Versions are as CUDA has them: 13010 is 13.1; 0: not there, and rules about it hold. */
struct version_facts {
	bool emulated;
	uint32_t driver;
	uint32_t compiler;        /* NVRTC */
	uint32_t library_oldest, library_newest; /* CUDA of the libraries that are loaded: 13000 of libcublas.so.13 */
	const char *passed_over;  /* why the machine's own driver is not used, "" for nothing */
};

struct version_verdict {
	const char *name;
	bool ok;
	char detail[VERSION_RULES_TEXT_MAX];
	const char *hint; /* the sentence that mends it */
};

/* How many rules there are, and the answer to number i. */
size_t version_rules_count(void);
void version_rules_check(size_t i, const struct version_facts *f, struct version_verdict *ret);

/* Add a loaded library to the facts; others than those that bear CUDA's number are left out. */
void version_rules_add_library(struct version_facts *f, const char *path);
/* "13.0", as NVRTC says it; 0: it is none. */
uint32_t version_rules_parse(const char *text);

#endif
