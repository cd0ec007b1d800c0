/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log lines for the administrator of the server, on standard error: "cgpu-kernel[123] warning:
 * ...". The level is from CGPU_LOG (error, warning, info, debug; default warning). They are not for
 * the user of a notebook, who gets an error reply or output of the cell.
 */
#ifndef CGPU_COMMON_BASE_LOG_H
#define CGPU_COMMON_BASE_LOG_H

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* Reads CGPU_LOG. program is borrowed for ever. */
void log_init(const char *program);
void log_write(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_write(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_write(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...) log_write(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_write(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
