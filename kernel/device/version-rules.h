/* SPDX-License-Identifier: Apache-2.0 */
/* Which versions of driver, compiler and CUDA libraries go together: version-rules.def. */
#ifndef CGPU_KERNEL_DEVICE_VERSION_RULES_H
#define CGPU_KERNEL_DEVICE_VERSION_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VERSION_RULES_TEXT_MAX 512
/* PTX ISA 7.8 (compiler/session/options.c), "Release History": CUDA 11.8. */
#define DEVICE_CODE_CUDA 11080

/* Versions are as CUDA has them: 13010 is 13.1; 0: not there, and rules about it hold. */
struct version_facts {
	bool emulated;
	uint32_t driver;
	uint32_t compiler; /* the first CUDA that takes PTX as it is made of cells */
	uint32_t library_oldest, library_newest; /* CUDA of the libraries that are loaded: 13000 of
						    libcublas.so.13 */
	uint32_t cublas, cublas_lt;              /* their own */
	uint32_t cudnn;                          /* 9120 is 9.12 */
	uint32_t cudnn_cuda;     /* that it was made for, where its package says so */
	const char *passed_over; /* why the machine's own driver is not used, "" for nothing */
};

/* Who tells a broken rule before the first cell that uses the device. %doctor tells all of them. */
enum version_teller { VERSION_TELLER_WORKER, VERSION_TELLER_KERNEL };

struct version_verdict {
	const char *name;
	bool ok;
	enum version_teller teller;
	char detail[VERSION_RULES_TEXT_MAX];
	const char *hint; /* the sentence that mends it */
};

/* How many rules there are, and the answer to number i. */
size_t version_rules_count(void);
void version_rules_check(size_t i, const struct version_facts *f, struct version_verdict *ret);

/*
 * Add a loaded library to the facts, by the name of its file and what lies beside it: it is not
 * opened. Others than CUDA's are left out.
 */
void version_rules_add_library(struct version_facts *f, const char *path);

#endif
