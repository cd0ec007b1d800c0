/* SPDX-License-Identifier: Apache-2.0 */
/* The container has no end marker, only sizes in its headers, each of which is checked. */
#include "common/cuda/fat-binary.h"

#include <stdint.h>
#include <string.h>

#include "common/base/error.h"

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
	const void *const *parts; /* of version 2 */
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
		       offsetof(struct image, unpacked_size) == 56,
	       "as nvcc writes it");

/* Compares a prefix and stops at the end of a shorter text. */
static bool starts_with(const void *image, const char *magic)
{
	return !strncmp(image, magic, 4);
}

bool fat_binary_is(const void *image)
{
	return starts_with(image, WRAPPER_MAGIC) || starts_with(image, HEADER_MAGIC);
}

const void *const *fat_binary_parts(const void *image)
{
	const struct wrapper *w = image;

	return starts_with(image, WRAPPER_MAGIC) && w->version == 2 ? w->parts : NULL;
}

bool fat_binary_is_whole(const void *image, size_t len)
{
	struct header h;

	if (!starts_with(image, HEADER_MAGIC) || len < sizeof(h))
		return false;
	memcpy(&h, image, sizeof(h));
	return h.size <= len && h.images_size <= len - h.size;
}

static bool is_packed(const struct image *i)
{
	return i->compressed_size || i->flags & (FLAG_LZ4 | FLAG_ZSTD);
}

static bool is_of_use(const struct image *i, unsigned target, unsigned wishes)
{
	return i->kind == KIND_PTX && (!is_packed(i) || wishes & FAT_BINARY_PACKED) &&
	       (i->target <= target || wishes & FAT_BINARY_NEWER);
}

/* Tells whether `a` is better for the device than `b`; NULL is worst. */
static bool better(const struct image *a, const struct image *b, unsigned target)
{
	if (!b || (a->target <= target) != (b->target <= target))
		return !b || a->target <= target;
	return a->target <= target ? a->target > b->target : a->target < b->target;
}

/* Finds the best image and copies its header, which may be unaligned. */
static int find_image(const char *at, uint64_t left, unsigned target, unsigned wishes,
		      struct image *ret, const char **ret_payload, struct error *err)
{
	bool found = false;

	while (left) {
		struct image i;

		if (left >= sizeof(i))
			memcpy(&i, at, sizeof(i));
		if (left < sizeof(i) || i.header_size < sizeof(i) || i.header_size > left ||
		    i.payload_size > left - i.header_size)
			return error_set(err, ERROR_UNSUPPORTED,
					 "an image of the fat binary is longer than it");
		if (is_of_use(&i, target, wishes) && better(&i, found ? ret : NULL, target)) {
			*ret = i;
			*ret_payload = at + i.header_size;
			found = true;
		}
		at += i.header_size + i.payload_size;
		left -= i.header_size + i.payload_size;
	}
	if (!found)
		return error_set(
			err, ERROR_NOT_FOUND,
			"the fat binary holds no PTX that is of use for compute capability %u.%u",
			target / 10, target % 10);
	return 0;
}

static int describe(const struct image *i, const char *payload, struct fat_binary_ptx *ret,
		    struct error *err)
{
	*ret = (struct fat_binary_ptx){ .payload = payload, .target = i->target };
	if (!is_packed(i)) {
		ret->len = ret->unpacked_len = strnlen(payload, i->payload_size);
		return 0;
	}
	if (!(i->flags & (FLAG_LZ4 | FLAG_ZSTD)))
		return error_set(err, ERROR_UNSUPPORTED,
				 "the way in which the fat binary's PTX for compute_%u is packed "
				 "is not known",
				 i->target);
	if (i->compressed_size > i->payload_size || i->unpacked_size > UNPACKED_MAX)
		return error_set(
			err, ERROR_UNSUPPORTED,
			"the sizes of the fat binary's PTX for compute_%u contradict each other",
			i->target);
	ret->len = i->compressed_size;
	ret->unpacked_len = i->unpacked_size;
	ret->packing = i->flags & FLAG_ZSTD ? FAT_BINARY_ZSTD : FAT_BINARY_LZ4;
	return 0;
}

int fat_binary_find_ptx(const void *image, unsigned target, unsigned wishes,
			struct fat_binary_ptx *ret, struct error *err)
{
	const char *payload = NULL;
	struct image found = { 0 };
	struct header h;

	if (starts_with(image, WRAPPER_MAGIC))
		image = ((const struct wrapper *)image)->header;
	if (!image || !starts_with(image, HEADER_MAGIC))
		return error_set(err, ERROR_UNSUPPORTED, "this is no fat binary");
	memcpy(&h, image, sizeof(h));
	if (h.version != 1 || h.size < sizeof(h))
		return error_set(err, ERROR_UNSUPPORTED,
				 "this version of fat binaries is not known");
	if (find_image((const char *)image + h.size, h.images_size, target, wishes, &found,
		       &payload, err))
		return -1;
	return describe(&found, payload, ret, err);
}
