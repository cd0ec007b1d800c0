/* SPDX-License-Identifier: Apache-2.0 */
/* Fat binaries as nvcc writes them, and damaged ones: which image is taken, and that nothing is read beyond the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/error.h"
#include "runtime/cuda/fat-binary.h"

#define PTX 1
#define MACHINE_CODE 2

struct image {
	uint16_t kind, version;
	uint32_t header_size;
	uint64_t size;
	uint32_t compressed_size, options_offset;
	uint16_t minor, major;
	uint32_t sm;
	char text[16];
};

struct binary {
	uint32_t magic;
	uint16_t version, header_size;
	uint64_t size;
	struct image images[3];
};

struct wrapper {
	uint32_t magic, version;
	const void *data;
	void *unused;
};

static struct image image_of(uint16_t kind, uint32_t sm, const char *text)
{
	struct image i = { .kind = kind, .header_size = offsetof(struct image, text), .size = sizeof(i.text), .sm = sm };

	strcpy(i.text, text);
	return i;
}

static struct binary whole(void)
{
	return (struct binary){ 0xba55ed50, 1, 16, 3 * sizeof(struct image),
				{ image_of(PTX, 52, "old"), image_of(MACHINE_CODE, 75, "code"), image_of(PTX, 75, "ptx") } };
}

static int take(const struct binary *b, unsigned sm, const char **ptx, size_t *len, struct error *err)
{
	const struct wrapper w = { 0x466243b1, 1, b, NULL };

	return fat_binary_ptx(&w, sm, ptx, len, err);
}

static void takes_the_newest_ptx_for_the_device(void **state)
{
	const struct binary b = whole();
	const char *ptx;
	size_t len;

	(void)state;
	assert_int_equal(take(&b, 90, &ptx, &len, NULL), 0);
	assert_int_equal(len, 3);
	assert_memory_equal(ptx, "ptx", 3);
	assert_int_equal(take(&b, 70, &ptx, &len, NULL), 0);
	assert_memory_equal(ptx, "old", 3);
}

static void says_what_is_missing(void **state)
{
	struct binary b = whole();
	struct error err = ERROR_INIT;
	const char *ptx;
	size_t len;

	(void)state;
	assert_int_equal(take(&b, 50, &ptx, &len, &err), -1);
	assert_int_equal(err.code, ERROR_UNSUPPORTED);
	b.images[0].compressed_size = b.images[2].compressed_size = 9;
	assert_int_equal(take(&b, 75, &ptx, &len, &err), -1);
	assert_non_null(strstr(err.text, "--no-compress"));
}

static void refuses_what_is_damaged(void **state)
{
	struct binary b = whole();
	struct error err = ERROR_INIT;
	const char *ptx;
	size_t len;

	(void)state;
	b.images[2].size = 17;
	assert_int_equal(take(&b, 75, &ptx, &len, &err), -1);
	assert_int_equal(err.code, ERROR_INPUT);
	b.images[2] = image_of(PTX, 75, "ptx");
	b.images[2].header_size = 4000;
	assert_int_equal(take(&b, 75, &ptx, &len, &err), -1);
	b = whole();
	b.size -= sizeof(struct image) - 8;
	assert_int_equal(take(&b, 75, &ptx, &len, &err), -1);
	b = whole();
	b.magic++;
	assert_int_equal(take(&b, 75, &ptx, &len, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_the_newest_ptx_for_the_device),
		cmocka_unit_test(says_what_is_missing),
		cmocka_unit_test(refuses_what_is_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
