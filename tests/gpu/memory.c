/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of memory that is given out and freed: whether it comes zeroed, and whether pieces
 * of it are of use. */
#include <stdio.h>

#include "common/memory/address-map.h"
#include "tests/gpu/experiment.h"
#include "tests/gpu/gpu.h"

#define CHUNK_SIZE (64 * MIB)
#define CHUNK_WORDS (CHUNK_SIZE / 8)

static void remake(void *arg)
{
	CUdeviceptr at = gpu_open_at(CHUNK_SIZE);
	CUmemGenericAllocationHandle handle;
	int i;

	(void)arg;
	for (i = 0; i < 4; i++) {
		handle = gpu_create(CHUNK_SIZE);
		GPU_TRY(cu.cuMemMap(at, CHUNK_SIZE, 0, handle, 0));
		gpu_access(at, CHUNK_SIZE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
		gpu_report->count += gpu_over_words("count_nonzero", at, CHUNK_WORDS);
		gpu_over_words("fill", at, CHUNK_WORDS);
		GPU_TRY(cu.cuMemUnmap(at, CHUNK_SIZE));
		GPU_TRY(cu.cuMemRelease(handle));
	}
}

void experiment_zeroed(int what)
{
	(void)what;
	if (child_run("memory made anew", remake, NULL))
		row("-", "memory made anew", "%llu of %llu words not zero",
		    (unsigned long long)gpu_report->count, 4ull * CHUNK_WORDS);
}

/* Every second piece is freed: is what was freed there for one request? */
#define SCATTER_ROOM (128 * MIB) /* of the card; the rest is taken away */
#define SCATTER_MAX 2048

/* Leave the card with little more than SCATTER_ROOM, so that filling it is quick. */
static void take_the_rest(void)
{
	size_t free_bytes, total, piece;
	CUdeviceptr p;

	GPU_TRY(cu.cuMemGetInfo(&free_bytes, &total));
	for (piece = free_bytes; piece >= 2 * MIB;) {
		GPU_TRY(cu.cuMemGetInfo(&free_bytes, &total));
		if (free_bytes < SCATTER_ROOM + 2 * MIB)
			return;
		if (piece > free_bytes - SCATTER_ROOM)
			piece = (free_bytes - SCATTER_ROOM) / (2 * MIB) * (2 * MIB);
		else if (cu.cuMemAlloc(&p, piece))
			piece /= 2;
	}
}

/* The driver's own allocator. figure: pieces, what was freed, the largest request that worked then,
 * the code of all of it. */
static void scatter_pieces(void *arg)
{
	const size_t size = *(const size_t *)arg;
	static CUdeviceptr p[SCATTER_MAX];
	size_t n = 0, freed, low = 0, high;
	CUdeviceptr one;
	size_t i;

	gpu_open();
	take_the_rest();
	while (n < SCATTER_MAX && !cu.cuMemAlloc(&p[n], size))
		n++;
	for (i = 0; i < n; i += 2)
		GPU_TRY(cu.cuMemFree(p[i]));
	freed = (n + 1) / 2 * size;
	gpu_report->figure[0] = n;
	gpu_report->figure[1] = (double)freed / MIB;
	gpu_report->figure[3] = cu.cuMemAlloc(&one, freed);
	high = gpu_report->figure[3] == 0 ? low = freed : freed;
	while (high - low > 64 * 1024) {
		size_t middle = low + (high - low) / 2;

		if (cu.cuMemAlloc(&one, middle)) {
			high = middle;
			continue;
		}
		GPU_TRY(cu.cuMemFree(one));
		low = middle;
	}
	gpu_report->figure[2] = (double)low / MIB;
}

/* The same with chunks of 2 MiB that are mapped one behind the other, as cgpu does. */
static void scatter_chunks(void *arg)
{
	const CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 },
	};
	static CUmemGenericAllocationHandle chunk[SCATTER_MAX];
	const size_t size = 2 * MIB;
	size_t n = 0, again, i;
	unsigned char last = 0;
	CUdeviceptr at;

	(void)arg;
	gpu_open();
	take_the_rest();
	while (n < SCATTER_MAX && !cu.cuMemCreate(&chunk[n], size, &prop, 0))
		n++;
	for (i = 0; i < n; i += 2)
		GPU_TRY(cu.cuMemRelease(chunk[i]));
	again = (n + 1) / 2;
	GPU_TRY(cu.cuMemAddressReserve(&at, again * size, 0, DEVICE_BASE, 0));
	for (i = 0; i < again; i++) {
		GPU_TRY(cu.cuMemCreate(&chunk[i * 2], size, &prop, 0));
		GPU_TRY(cu.cuMemMap(at + i * size, size, 0, chunk[i * 2], 0));
	}
	gpu_access(at, again * size, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	GPU_TRY(cu.cuMemsetD8(at, 7, again * size));
	GPU_TRY(cu.cuMemcpyDtoH(&last, at + again * size - 1, 1));
	gpu_report->count = last == 7;
	gpu_report->figure[0] = n;
	gpu_report->figure[1] = (double)(again * size) / MIB;
}

void experiment_scattered(int what)
{
	static const size_t sizes[] = { 256 * 1024, MIB, 2 * MIB };
	const double *f = gpu_report->figure;
	char name[80];
	size_t i;

	(void)what;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		snprintf(name, sizeof(name), "every 2nd of full memory freed: cuMemAlloc, %zu KiB",
			 sizes[i] / 1024);
		if (child_run(name, scatter_pieces, (void *)&sizes[i]))
			row("-", name,
			    "%.0f pieces; all %.0f MiB in one request: error %.0f; %.0f %% of it "
			    "can be had",
			    f[0], f[1], f[3], f[1] ? 100 * f[2] / f[1] : 0);
	}
	if (child_run("every 2nd of full memory freed: stitched chunks", scatter_chunks, NULL))
		row(ok(f[0] > 1 && gpu_report->count),
		    "every 2nd of full memory freed: stitched chunks",
		    "%.0f chunks; all %.0f MiB in one range, and written: 100 %%", f[0], f[1]);
}
