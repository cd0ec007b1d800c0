/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast the machine runs five shapes of device code: `machine-shapes shapes.ptx [threads]`. Prints the best of five
 * runs: time (CPU time of the launching thread with one thread, else elapsed), and operations of all lanes a second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/address-map.h"
#include "common/buffer.h"
#include "common/error.h"
#include "emulator/machine/machine.h"

#define BUFFER_BYTES (4u << 20)
#define BUFFERS 3
#define RUNS 5

static char *bytes[BUFFERS];
static _Atomic uint64_t generation = 1;

static uint64_t address_of(int i)
{
	return DEVICE_BASE + (uint64_t)i * 2 * BUFFER_BYTES;
}

static bool find(void *data, uint64_t address, struct device_buffer *ret)
{
	(void)data;
	for (int i = 0; i < BUFFERS; i++)
		if (address - address_of(i) < BUFFER_BYTES) {
			*ret = (struct device_buffer){ .address = address_of(i), .size = BUFFER_BYTES, .bytes = bytes[i] };
			return true;
		}
	return false;
}

static const struct device_memory memory = { .find = find, .nearest = find, .generation = &generation };

static struct ptx_module *load(const char *path)
{
	struct buffer text = BUFFER_INIT;
	struct error err = ERROR_INIT;
	struct ptx_module *m;
	FILE *f = fopen(path, "r");
	char part[4096];
	size_t n;

	if (!f) {
		perror(path);
		exit(1);
	}
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		buffer_append(&text, part, n);
	fclose(f);
	m = ptx_module_load(buffer_text(&text), text.len, &err);
	buffer_release(&text);
	if (!m) {
		fprintf(stderr, "%s: %s\n", path, err.text);
		exit(1);
	}
	return m;
}

static double milliseconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void measure(struct ptx_module *m, unsigned threads, const char *name, uint32_t grid_x, uint32_t grid_y,
		    const void *params, size_t size)
{
	clockid_t clock = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
	struct machine_launch l = {
		.entry = ptx_module_function(m, name), .grid = { grid_x, grid_y, 1 }, .block = { 256, 1, 1 },
		.params = params, .params_size = size, .memory = &memory, .threads = threads,
	};
	struct machine_stats stats = { 0 };
	struct error err = ERROR_INIT;
	struct gpu_fault fault;
	double best = 1e30;

	for (int i = 0; i < RUNS; i++) {
		double t = milliseconds(clock);

		if (!l.entry || machine_launch(&l, &fault, &stats, &err)) {
			fprintf(stderr, "%s did not run: %s\n", name, err.text);
			exit(1);
		}
		t = milliseconds(clock) - t;
		best = t < best ? t : best;
	}
	printf("%-12s %9.2f ms %8.2f G lane operations/s\n", name, best,
	       (double)stats.warp_instructions * 32 / best / 1e6);
}

int main(int argc, char **argv)
{
	unsigned threads = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;
	uint64_t x = address_of(0), y = address_of(1), z = address_of(2);
	struct ptx_module *m;

	if (argc < 2) {
		fprintf(stderr, "usage: %s shapes.ptx [threads]\n", argv[0]);
		return 2;
	}
	m = load(argv[1]);
	for (int i = 0; i < BUFFERS; i++) {
		bytes[i] = calloc(1, BUFFER_BYTES);
		if (!bytes[i])
			return 1;
	}
	for (int i = 0; i < 1 << 20; i++)
		((float *)bytes[0])[i] = (float)(i % 1000) / 1000;
	printf("core %s, %u host threads\n", machine_core_name(), threads);
	measure(m, threads, "saxpy", 4096, 1, &(struct { int n; float a; uint64_t x, y; }){ 1 << 20, 2, x, y }, 24);
	measure(m, threads, "matmul", 16, 16, &(struct { int n; uint64_t a, b, c; }){ 256, x, y, z }, 32);
	measure(m, threads, "tiled", 256, 1, &(struct { uint64_t in, out; }){ x, z }, 16);
	measure(m, threads, "mandelbrot", 1024, 1, &(struct { int n, limit; uint64_t out; }){ 512, 256, z }, 16);
	measure(m, threads, "collatz", 1024, 1, &(struct { int n; uint64_t out; }){ 262144, z }, 16);
	ptx_module_free(m);
	for (int i = 0; i < BUFFERS; i++)
		free(bytes[i]);
	return 0;
}
