/* SPDX-License-Identifier: Apache-2.0 */
/* The count only grows; a window in which the file cannot be read is one without pressure. */
#include "kernel/cell-run/pressure.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void pressure_init(struct pressure *p, const char *proc_dir)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/pressure/memory", proc_dir);
	*p = (struct pressure){ .fd = open(path, O_RDONLY | O_CLOEXEC) };
}

void pressure_release(struct pressure *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

/* "full avg10=0.00 avg60=0.00 avg300=0.00 total=123": microseconds. 0 on success. */
static int read_total(const struct pressure *p, uint64_t *ret)
{
	char text[512];
	ssize_t n = p->fd < 0 ? -1 : pread(p->fd, text, sizeof(text) - 1, 0);
	const char *line, *total;

	if (n <= 0)
		return -1;
	text[n] = '\0';
	line = strstr(text, "full ");
	total = line ? strstr(line, "total=") : NULL;
	return total && sscanf(total, "total=%" SCNu64, ret) == 1 ? 0 : -1;
}

void pressure_begin(struct pressure *p, uint64_t now_ms)
{
	p->window_ms = now_ms;
	if (read_total(p, &p->window_us))
		p->window_us = UINT64_MAX;
}

bool pressure_is_high(struct pressure *p, uint64_t now_ms)
{
	uint64_t passed_ms = now_ms - p->window_ms, total;

	if (passed_ms < PRESSURE_WINDOW_MS)
		return false;
	p->percent = 0;
	if (!read_total(p, &total) && total > p->window_us)
		p->percent = (unsigned)((total - p->window_us) / 10 / passed_ms);
	if (p->percent > 100)
		p->percent = 100;
	pressure_begin(p, now_ms);
	return p->percent >= PRESSURE_PERCENT;
}
