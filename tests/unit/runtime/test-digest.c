/* SPDX-License-Identifier: Apache-2.0 */
/* Digests that device code computes, beside the same sum in C, for sizes around those of words,
 * threads and grids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cuda_runtime_api.h>

#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/rollback/digest-kernel.h"
#include "runtime/cuda/rollback/digest.h"
#include "tests/unit/runtime/device-host.h"

#define ODD 0x9e3779b97f4a7c15ull
#define LARGE (3u * 1024 * 1024 + 13)

static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	return x ^ x >> 29;
}

static uint64_t reference(const unsigned char *p, uint64_t size)
{
	uint64_t sum = 0, word, words = size / 16 * 2;

	for (uint64_t i = 0; i < words; i++) {
		memcpy(&word, p + i * 8, 8);
		sum += mix(word + i * ODD);
	}
	for (uint64_t i = 0; i < size % 16; i++)
		sum += mix(p[words * 8 + i] + ((1ull << 62) + i) * ODD);
	return sum;
}

static unsigned char *host, *on_device;

static uint64_t digest_of(uint64_t size)
{
	struct digest_range r = { (uintptr_t)on_device, size, 0 };

	assert_int_equal(digest_compute(NULL, &r, 1), 0);
	return r.digest;
}

static int set_up(void **state)
{
	uint64_t x = 1;

	(void)state;
	device_host_init();
	device_host_start(0);
	device_host_begin(1);
	host = malloc(LARGE);
	for (uint32_t i = 0; i < LARGE; i++) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		host[i] = (unsigned char)(x >> 56);
	}
	return !host || cudaMalloc((void **)&on_device, LARGE) ||
	       cudaMemcpy(on_device, host, LARGE, cudaMemcpyHostToDevice);
}

static int tear_down(void **state)
{
	(void)state;
	free(host);
	device_host_commit();
	return 0;
}

static void is_the_sum_that_it_should_be(void **state)
{
	static const uint64_t sizes[] = { 0,    1,    7,    8,     15,    16,    17,     31,   33,
					  4095, 4096, 4111, 16383, 16384, 16400, 100003, LARGE };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		assert_int_equal(digest_of(sizes[i]), reference(host, sizes[i]));
}

static void each_bit_counts(void **state)
{
	const uint64_t size = 333;
	uint64_t whole = digest_of(size);

	(void)state;
	for (uint64_t i = 0; i < size; i++) {
		unsigned char other = host[i] ^ (unsigned char)(1 << i % 8);

		assert_int_equal(cudaMemcpy(on_device + i, &other, 1, cudaMemcpyHostToDevice), 0);
		assert_int_not_equal(digest_of(size), whole);
		assert_int_equal(cudaMemcpy(on_device + i, host + i, 1, cudaMemcpyHostToDevice), 0);
	}
	assert_int_equal(digest_of(size), whole);
}

/* More than one round of answers. */
static void many_at_once(void **state)
{
	enum { N = DIGEST_SLOTS + 3 };
	static struct digest_range ranges[N];

	(void)state;
	for (size_t i = 0; i < N; i++)
		ranges[i] = (struct digest_range){ (uintptr_t)on_device + i * 16, 100 + i % 16, 0 };
	assert_int_equal(digest_compute(NULL, ranges, N), 0);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(ranges[i].digest, reference(host + i * 16, 100 + i % 16));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_the_sum_that_it_should_be),
		cmocka_unit_test(each_bit_counts),
		cmocka_unit_test(many_at_once),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
