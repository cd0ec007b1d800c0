/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts of memory in human-readable form: 512M, 2G, 1.5 GB. K, M, G and T are powers of 1024. */
#ifndef CGPU_KERNEL_SETTINGS_SIZE_TEXT_H
#define CGPU_KERNEL_SETTINGS_SIZE_TEXT_H

#include <stdint.h>

struct error;

int size_text_parse(const char *text, uint64_t *ret, struct error *err);

#define SIZE_TEXT_MAX 32
/* Formats an amount as "1.5 GB"; returns ret. */
const char *size_text(uint64_t bytes, char ret[SIZE_TEXT_MAX]);

#endif
