/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver for libFuzzer: FUZZ_TARGET in the environment names the target, FUZZ_SEEDS a folder
 * that gets the target's own inputs before the first run. `./bootstrap fuzz` sets both.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "tests/fuzz/fuzz.h"

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_seeds(const char *folder)
{
	for (unsigned i = 0;; i++) {
		cleanup_buffer struct buffer b = BUFFER_INIT;
		char path[4096];
		FILE *f;

		if (!target->seed(i, &b))
			return;
		snprintf(path, sizeof(path), "%s/seed-%u", folder, i);
		f = fopen(path, "w");
		if (!f || fwrite(b.data, 1, b.len, f) != b.len || fclose(f))
			abort();
	}
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("FUZZ_TARGET"), *seeds = getenv("FUZZ_SEEDS");

	(void)argc, (void)argv;
#define FUZZ_TARGET(target_name)                                                                   \
	if (name && !strcmp(name, #target_name))                                                   \
		target = &fuzz_##target_name;
#include "tests/fuzz/targets.def"
#undef FUZZ_TARGET
	if (!target) {
		fprintf(stderr, "FUZZ_TARGET names no target of tests/fuzz/targets.def\n");
		exit(1);
	}
	if (seeds)
		write_seeds(seeds);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	target->one(data, size);
	return 0;
}
