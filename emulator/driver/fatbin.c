/* SPDX-License-Identifier: Apache-2.0 */
/* Reading fat binaries. The container has no end of its own but the sizes in its headers; each is checked. */
#include "emulator/driver/fatbin.h"

#include <lz4.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zstd.h>

#include "common/buffer.h"
#include "common/error.h"

#define WRAPPER_MAGIC "\xb1\x43\x62\x46"
#define HEADER_MAGIC "\x50\xed\x55\xba"
#define FLAG_LZ4 0x2000u
#define FLAG_ZSTD 0x8000u
#define UNPACKED_MAX (1u << 30)

enum { KIND_PTX = 1 };

struct wrapper {
	char magic[4];
	uint32_t version;
	const void *header;
};

struct header {
	char magic[4];
	uint16_t version;
	uint16_t size;
	uint64_t images_size;
};

struct image {
	uint16_t kind;
	uint16_t version;
	uint32_t header_size;
	uint64_t payload_size;
	uint32_t compressed_size;
	uint32_t unknown[2];
	uint32_t target;
	uint64_t name;
	uint64_t flags;
	uint64_t reserved;
	uint64_t unpacked_size;
};

_Static_assert(offsetof(struct image, target) == 28 && offsetof(struct image, flags) == 40 &&
	       offsetof(struct image, unpacked_size) == 56, "as nvcc writes it");

/* Reads no further than a shorter text goes. */
static bool starts_with(const void *image, const char *magic)
{
	return !strncmp(image, magic, 4);
}

bool fatbin_is(const void *image)
{
	return starts_with(image, WRAPPER_MAGIC) || starts_with(image, HEADER_MAGIC);
}

bool fatbin_is_whole(const void *image, size_t len)
{
	struct header h;

	if (!starts_with(image, HEADER_MAGIC) || len < sizeof(h))
		return false;
	memcpy(&h, image, sizeof(h));
	return h.size <= len && h.images_size <= len - h.size;
}

/* Is `a` the better one for the device? NULL is worst. */
static bool better(const struct image *a, const struct image *b, unsigned target)
{
	if (!b || (a->target <= target) != (b->target <= target))
		return !b || a->target <= target;
	return a->target <= target ? a->target > b->target : a->target < b->target;
}

/* Copies: an image's header need not be aligned. */
static int find_ptx(const char *at, uint64_t left, unsigned target, struct image *ret, const char **ret_payload,
		    struct error *err)
{
	bool found = false;

	while (left >= sizeof(struct image)) {
		struct image i;

		memcpy(&i, at, sizeof(i));
		if (i.header_size < sizeof(i) || i.header_size > left || i.payload_size > left - i.header_size)
			return error_set(err, ERROR_UNSUPPORTED, "an image of the fat binary is longer than it");
		if (i.kind == KIND_PTX && better(&i, found ? ret : NULL, target)) {
			*ret = i;
			*ret_payload = at + i.header_size;
			found = true;
		}
		at += i.header_size + i.payload_size;
		left -= i.header_size + i.payload_size;
	}
	if (!found)
		return error_set(err, ERROR_NOT_FOUND, "the fat binary holds machine code of a GPU and no PTX, which "
				 "is what the emulated device runs: compile with "
				 "-gencode arch=compute_75,code=compute_75");
	return 0;
}

static int unpack(const struct image *i, const char *payload, struct buffer *ret, struct error *err)
{
	char *out;
	size_t n;

	if (!(i->flags & (FLAG_LZ4 | FLAG_ZSTD))) {
		buffer_append(ret, payload, strnlen(payload, i->payload_size));
		return buffer_check(ret, err);
	}
	if (i->compressed_size > i->payload_size || i->unpacked_size > UNPACKED_MAX)
		return error_set(err, ERROR_UNSUPPORTED, "the sizes of the fat binary's PTX for compute_%u contradict "
				 "each other", i->target);
	out = buffer_extend(ret, i->unpacked_size);
	if (!out)
		return buffer_check(ret, err);
	if (i->flags & FLAG_ZSTD) {
		n = ZSTD_decompress(out, i->unpacked_size, payload, i->compressed_size);
	} else {
		int unpacked = LZ4_decompress_safe(payload, out, (int)i->compressed_size, (int)i->unpacked_size);

		n = unpacked < 0 ? SIZE_MAX : (size_t)unpacked;
	}
	if (n != i->unpacked_size)
		return error_set(err, ERROR_UNSUPPORTED, "the fat binary's PTX for compute_%u cannot be unpacked",
				 i->target);
	return 0;
}

int fatbin_ptx(const void *image, unsigned target, struct buffer *ret, struct error *err)
{
	const char *payload = NULL;
	struct image found = { 0 };
	struct header h;

	if (starts_with(image, WRAPPER_MAGIC))
		image = ((const struct wrapper *)image)->header;
	memcpy(&h, image, sizeof(h));
	if (!starts_with(h.magic, HEADER_MAGIC) || h.version != 1 || h.size < sizeof(h))
		return error_set(err, ERROR_UNSUPPORTED, "this version of fat binaries is not known");
	if (find_ptx((const char *)image + h.size, h.images_size, target, &found, &payload, err))
		return -1;
	return unpack(&found, payload, ret, err);
}
