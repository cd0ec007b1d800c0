/* SPDX-License-Identifier: Apache-2.0 */
/* What is read here is what `nvcc -keep` leaves in its .fatbin files; fields that do not matter have no names. */
#include "runtime/cuda/fat-binary.h"

#include <string.h>

#include "common/error.h"

#define WRAPPER_MAGIC 0x466243b1u
#define HEADER_MAGIC 0xba55ed50u
#define IMAGE_PTX 1

struct wrapper {
	uint32_t magic, version;
	const unsigned char *data;
	void *unused;
};

struct header {
	uint32_t magic;
	uint16_t version, header_size;
	uint64_t size; /* of all images */
};

struct image {
	uint16_t kind, version;
	uint32_t header_size;
	uint64_t size; /* with padding */
	uint32_t compressed_size; /* 0: as it is */
	uint32_t options_offset;
	uint16_t minor, major;
	uint32_t sm;
};

static int next_image(const unsigned char **at, const unsigned char *end, struct image *ret, const unsigned char **ret_bytes,
		      struct error *err)
{
	size_t left = (size_t)(end - *at);

	if (left >= sizeof(*ret))
		memcpy(ret, *at, sizeof(*ret));
	if (left < sizeof(*ret) || ret->header_size < sizeof(*ret) || ret->header_size > left ||
	    ret->size > left - ret->header_size)
		return error_set(err, ERROR_INPUT, "an image reaches beyond the end of the fat binary");
	*ret_bytes = *at + ret->header_size;
	*at = *ret_bytes + ret->size;
	return 0;
}

int fat_binary_ptx(const void *wrapper, unsigned sm, const char **ret, size_t *ret_len, struct error *err)
{
	const struct wrapper *w = wrapper;
	const unsigned char *at, *end, *bytes = NULL;
	unsigned best = 0;
	struct header h;
	struct image i;

	if (w->magic != WRAPPER_MAGIC || !w->data)
		return error_set(err, ERROR_INPUT, "the wrapper of the fat binary is not one");
	memcpy(&h, w->data, sizeof(h));
	if (h.magic != HEADER_MAGIC || h.header_size < sizeof(h))
		return error_set(err, ERROR_INPUT, "the fat binary has no header");
	at = w->data + h.header_size;
	for (end = at + h.size; at < end;) {
		if (next_image(&at, end, &i, &bytes, err))
			return -1;
		if (i.kind != IMAGE_PTX || i.compressed_size || i.sm > sm || i.sm < best)
			continue;
		best = i.sm;
		*ret = (const char *)bytes;
		*ret_len = strnlen(*ret, i.size);
	}
	if (!best)
		return error_set(err, ERROR_UNSUPPORTED, "it has no PTX for compute capability %u.%u or less that is not compressed: "
				 "compile with nvcc -gencode arch=compute_%u,code=compute_%u --no-compress", sm / 10, sm % 10, sm, sm);
	return 0;
}
