/* SPDX-License-Identifier: Apache-2.0 */
/* Durations in human-readable form: 500ms, 30s, 1.5 h. */
#ifndef CGPU_KERNEL_SETTINGS_TIME_TEXT_H
#define CGPU_KERNEL_SETTINGS_TIME_TEXT_H

#include <stdint.h>

struct error;

/* Parses a duration; "off" is 0. */
int time_text_parse(const char *text, uint64_t *ret_ms, struct error *err);

#define TIME_TEXT_MAX 32
/* Formats a duration as "5 min" or "off"; returns ret. */
const char *time_text(uint64_t ms, char ret[TIME_TEXT_MAX]);

#endif
