/* SPDX-License-Identifier: Apache-2.0 */
/* Picks the copy of the vector handlers that fits this processor, once.
 * CGPU_CORE=baseline|avx2|avx512 overrides. */
#include <pthread.h>
#include <stdlib.h>

#undef CORE
#define CORE baseline
#include "emulator/exec/address-rows.h"
#include "emulator/exec/core.h"
#include "emulator/warp/exec.h"

#include "common/base/bug.h"

#define DECLARE_AVX2(name) extern const struct op_entry PASTE(name, avx2)[];
#define DECLARE_AVX512(name) extern const struct op_entry PASTE(name, avx512)[];
#define DECLARE_BASE(name) extern const struct op_entry PASTE(name, base)[];
#if defined(__x86_64__)
EXEC_VECTOR_FILES(DECLARE_AVX2)
EXEC_VECTOR_FILES(DECLARE_AVX512)
#endif
EXEC_SCALAR_FILES(DECLARE_BASE)

/* The copy of the vector handlers that was chosen. */
static struct core {
	pthread_once_t once;
	const char *name;
	const struct address_rows *rows;
	struct op_handlers handlers[OP_COUNT];
} core = { .once = PTHREAD_ONCE_INIT };

static void add(const struct op_entry *e)
{
	for (; e->id != OP_COUNT; e++)
		core.handlers[e->id] = (struct op_handlers){ e->full, e->masked };
}

static bool usable(const char *name, bool supported)
{
	const char *wanted = getenv("CGPU_CORE");

	return supported && (!wanted || !*wanted || !strcmp(wanted, name));
}

static void choose(void)
{
#define ADD_BASE(name) add(PASTE(name, base));
#define ADD_BASELINE(name) add(PASTE(name, baseline));
#define ADD_AVX2(name) add(PASTE(name, avx2));
#define ADD_AVX512(name) add(PASTE(name, avx512));
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (usable("avx512", __builtin_cpu_supports("avx512f") &&
				     __builtin_cpu_supports("avx512bw") &&
				     __builtin_cpu_supports("avx512dq") &&
				     __builtin_cpu_supports("avx512vl") &&
				     __builtin_cpu_supports("avx512cd"))) {
		core.name = "avx512";
		core.rows = &address_rows_avx512;
		EXEC_VECTOR_FILES(ADD_AVX512)
	} else if (usable("avx2", __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
					  __builtin_cpu_supports("bmi2") &&
					  __builtin_cpu_supports("f16c"))) {
		core.name = "avx2";
		core.rows = &address_rows_avx2;
		EXEC_VECTOR_FILES(ADD_AVX2)
	}
#endif
	if (!core.name) {
		core.name = "baseline";
		core.rows = &address_rows_baseline;
		EXEC_VECTOR_FILES(ADD_BASELINE)
	}
	EXEC_SCALAR_FILES(ADD_BASE)
	for (int i = 0; i < OP_COUNT; i++)
		if (!core.handlers[i].full)
			BUG("operation %d has no handler", i);
}

const struct op_handlers *core_handlers(void)
{
	pthread_once(&core.once, choose);
	return core.handlers;
}

const struct address_rows *core_address_rows(void)
{
	core_handlers();
	return core.rows;
}

const char *core_name(void)
{
	core_handlers();
	return core.name;
}
