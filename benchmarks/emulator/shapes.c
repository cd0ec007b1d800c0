/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes' launches. Buffers 0 and 1 hold numbers from 0 to 1, buffer 2 zeroes. */
#include "benchmarks/emulator/shapes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define INT(v) { ARGUMENT_INT, v, 0 }
#define FLOAT(v) { ARGUMENT_FLOAT, 0, v }
#define BUFFER(v) { ARGUMENT_BUFFER, v, 0 }

const struct shape shapes[] = {
	{ "saxpy",
	  "1M threads",
	  { 4096, 1 },
	  { 256, 1 },
	  { INT(1 << 20), FLOAT(2), BUFFER(0), BUFFER(1) },
	  4,
	  1 },
	{ "matmul",
	  "256^3",
	  { 16, 16 },
	  { 16, 16 },
	  { INT(256), BUFFER(0), BUFFER(1), BUFFER(2) },
	  4,
	  2 },
	{ "tiled",
	  "64 x 16 products, 64K threads",
	  { 256, 1 },
	  { 256, 1 },
	  { BUFFER(0), BUFFER(2) },
	  2,
	  2 },
	{ "mandelbrot", "512^2", { 1024, 1 }, { 256, 1 }, { INT(512), INT(256), BUFFER(2) }, 3, 2 },
	{ "collatz", "262k threads", { 1024, 1 }, { 256, 1 }, { INT(1 << 18), BUFFER(2) }, 2, 2 },
	{ "polynomial",
	  "degree 127, 1M threads",
	  { 4096, 1 },
	  { 256, 1 },
	  { BUFFER(0), BUFFER(2) },
	  2,
	  2 },
	{ "reduction",
	  "1M numbers",
	  { 256, 1 },
	  { 256, 1 },
	  { INT(1 << 20), BUFFER(0), BUFFER(2) },
	  3,
	  2 },
	{ "histogram",
	  "1M numbers, 256 bins",
	  { 256, 1 },
	  { 256, 1 },
	  { INT(1 << 20), BUFFER(0), BUFFER(2) },
	  3,
	  2 },
};
const size_t shape_count = sizeof(shapes) / sizeof(shapes[0]);

void shapes_fail(const char *fmt, ...)
{
	va_list args;

	fflush(stdout);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(EXIT_FAILURE);
}

char *shapes_read(const char *folder, const char *name)
{
	char path[4096], *text = NULL;
	size_t size;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "r");
	if (!f)
		shapes_fail("cannot read %s: give the folder benchmarks/emulator of the sources",
			    path);
	fseek(f, 0, SEEK_END);
	size = (size_t)ftell(f);
	rewind(f);
	text = calloc(1, size + 1);
	if (!text || fread(text, 1, size, f) != size)
		shapes_fail("cannot read %s", path);
	fclose(f);
	return text;
}
