/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about versions of driver, compiler and CUDA libraries that work together:
 * version-rules.def. */
#ifndef CGPU_KERNEL_DEVICE_VERSION_RULES_H
#define CGPU_KERNEL_DEVICE_VERSION_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VERSION_RULES_TEXT_MAX 512

/* Versions are encoded as in CUDA: 13010 is 13.1. 0: absent, and rules about it pass. */
struct version_facts {
	bool emulated;
	uint32_t driver;
	uint32_t compiler; /* the oldest CUDA that takes the PTX of cells */
	/* The range of CUDA versions of the loaded libraries: 13000 for libcublas.so.13. */
	uint32_t library_oldest, library_newest;
	uint32_t cublas, cublas_lt; /* cuBLAS's own versions */
	uint32_t cudnn;             /* 9120 is 9.12 */
	uint32_t cudnn_cuda;        /* the CUDA that cuDNN was made for, if its package says so */
	const char *passed_over;    /* why the machine's own driver is not used; "" for nothing */
};

/* The process that tells a broken rule before the first cell that uses the device. %doctor tells
 * all of them. */
enum version_teller { VERSION_TELLER_WORKER, VERSION_TELLER_KERNEL };

struct version_verdict {
	const char *name;
	bool ok;
	enum version_teller teller;
	char detail[VERSION_RULES_TEXT_MAX];
	const char *hint; /* the sentence that says how to fix it */
};

/* version_rules_count() returns the number of rules; version_rules_check() checks rule i. */
size_t version_rules_count(void);
void version_rules_check(size_t i, const struct version_facts *f, struct version_verdict *ret);

/*
 * Adds a loaded library to the facts, judged by its file name and the files beside it; the library
 * is not opened. Libraries that are not CUDA's are ignored.
 */
void version_rules_add_library(struct version_facts *f, const char *path);

#endif
