/* SPDX-License-Identifier: Apache-2.0 */
/* Fat binaries as nvcc writes them, and damaged ones: which image is taken, and that nothing is
 * read beyond the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "common/cuda/fat-binary.h"

#define PTX 1
#define MACHINE_CODE 2
#define LZ4 0x2000
#define ZSTD 0x8000

struct image {
	uint16_t kind, version;
	uint32_t header_size;
	uint64_t size;
	uint32_t compressed_size, options_offset;
	uint16_t minor, major;
	uint32_t target;
	uint64_t name, flags, reserved, unpacked_size;
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

static struct image image_of(uint16_t kind, uint32_t target, const char *text)
{
	struct image i = { .kind = kind,
			   .header_size = offsetof(struct image, text),
			   .size = sizeof(i.text),
			   .target = target };

	strcpy(i.text, text);
	return i;
}

static struct binary whole(void)
{
	return (struct binary){ 0xba55ed50,
				1,
				16,
				3 * sizeof(struct image),
				{ image_of(PTX, 52, "old"), image_of(MACHINE_CODE, 75, "code"),
				  image_of(PTX, 75, "ptx") } };
}

static int take(const struct binary *b, unsigned target, unsigned wishes,
		struct fat_binary_ptx *ret, struct error *err)
{
	const struct wrapper w = { 0x466243b1, 1, b, NULL };

	return fat_binary_find_ptx(&w, target, wishes, ret, err);
}

static void assert_taken(const struct binary *b, unsigned target, unsigned wishes, const char *text)
{
	struct fat_binary_ptx p;

	assert_int_equal(take(b, target, wishes, &p, NULL), 0);
	assert_int_equal(p.packing, FAT_BINARY_PLAIN);
	assert_int_equal(p.len, strlen(text));
	assert_memory_equal(p.payload, text, p.len);
}

static void assert_refused(const struct binary *b, unsigned target, unsigned wishes,
			   enum error_code code)
{
	struct error err = ERROR_INIT;
	struct fat_binary_ptx p;

	assert_int_equal(take(b, target, wishes, &p, &err), -1);
	assert_int_equal(err.code, code);
}

static void takes_the_newest_ptx_for_the_device(void **state)
{
	const struct binary b = whole();

	(void)state;
	assert_taken(&b, 90, 0, "ptx");
	assert_taken(&b, 75, 0, "ptx");
	assert_taken(&b, 70, FAT_BINARY_NEWER, "old");
	assert_refused(&b, 50, 0, ERROR_NOT_FOUND);
	assert_taken(&b, 50, FAT_BINARY_NEWER, "old");
}

static void passes_packed_ptx_over_unless_it_is_wished(void **state)
{
	struct binary b = whole();
	struct fat_binary_ptx p;

	(void)state;
	b.images[2].compressed_size = 9;
	b.images[2].unpacked_size = 1000;
	b.images[2].flags = ZSTD;
	assert_taken(&b, 75, 0, "old");
	assert_int_equal(take(&b, 75, FAT_BINARY_PACKED, &p, NULL), 0);
	assert_int_equal(p.packing, FAT_BINARY_ZSTD);
	assert_int_equal(p.len, 9);
	assert_int_equal(p.unpacked_len, 1000);
	assert_int_equal(p.target, 75);
	b.images[2].flags = LZ4;
	assert_int_equal(take(&b, 75, FAT_BINARY_PACKED, &p, NULL), 0);
	assert_int_equal(p.packing, FAT_BINARY_LZ4);
	b.images[2].flags = 0;
	assert_refused(&b, 75, FAT_BINARY_PACKED, ERROR_UNSUPPORTED);
	b.images[2].flags = ZSTD;
	b.images[2].compressed_size = 17;
	assert_refused(&b, 75, FAT_BINARY_PACKED, ERROR_UNSUPPORTED);
	b.images[0] = b.images[2];
	assert_refused(&b, 75, 0, ERROR_NOT_FOUND);
}

static void refuses_what_is_damaged(void **state)
{
	struct binary b = whole();

	(void)state;
	b.images[2].size = 17;
	assert_refused(&b, 75, 0, ERROR_UNSUPPORTED);
	b.images[2] = image_of(PTX, 75, "ptx");
	b.images[2].header_size = 4000;
	assert_refused(&b, 75, 0, ERROR_UNSUPPORTED);
	b = whole();
	b.size -= sizeof(struct image) - 8;
	assert_refused(&b, 75, 0, ERROR_UNSUPPORTED);
	b = whole();
	b.magic++;
	assert_refused(&b, 75, 0, ERROR_UNSUPPORTED);
	b = whole();
	b.version = 2;
	assert_refused(&b, 75, 0, ERROR_UNSUPPORTED);
}

static void knows_a_container_and_its_end(void **state)
{
	const struct binary b = whole();
	const struct wrapper w = { 0x466243b1, 1, &b, NULL };

	(void)state;
	assert_true(fat_binary_is(&b));
	assert_true(fat_binary_is(&w));
	assert_false(fat_binary_is(".version 9.0"));
	assert_false(fat_binary_is(""));
	assert_true(fat_binary_is_whole(&b, sizeof(b)));
	assert_false(fat_binary_is_whole(&b, sizeof(b) - 1));
	assert_false(fat_binary_is_whole(&b, 7));
	assert_false(fat_binary_is_whole(&w, sizeof(w)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_the_newest_ptx_for_the_device),
		cmocka_unit_test(passes_packed_ptx_over_unless_it_is_wished),
		cmocka_unit_test(refuses_what_is_damaged),
		cmocka_unit_test(knows_a_container_and_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
