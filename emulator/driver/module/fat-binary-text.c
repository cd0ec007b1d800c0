/* SPDX-License-Identifier: Apache-2.0 */
/* PTX is unpacked here; common/cuda/fat-binary.h finds it. */
#include "emulator/driver/module/fat-binary-text.h"

#include <lz4.h>
#include <stdint.h>
#include <zstd.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/cuda/fat-binary.h"

static int unpack(const struct fat_binary_ptx *p, struct buffer *ret, struct error *err)
{
	char *out = buffer_extend(ret, p->unpacked_len);
	size_t n;

	if (!out)
		return buffer_check(ret, err);
	if (p->packing == FAT_BINARY_ZSTD) {
		n = ZSTD_decompress(out, p->unpacked_len, p->payload, p->len);
	} else {
		int unpacked =
			LZ4_decompress_safe(p->payload, out, (int)p->len, (int)p->unpacked_len);

		n = unpacked < 0 ? SIZE_MAX : (size_t)unpacked;
	}
	if (n != p->unpacked_len)
		return error_set(err, ERROR_UNSUPPORTED,
				 "the fat binary's PTX for compute_%u cannot be unpacked",
				 p->target);
	return 0;
}

int fat_binary_text(const void *image, unsigned target, struct buffer *ret, struct error *err)
{
	struct error why = ERROR_INIT;
	struct fat_binary_ptx p;

	if (fat_binary_find_ptx(image, target, FAT_BINARY_PACKED | FAT_BINARY_NEWER, &p, &why)) {
		if (why.code == ERROR_NOT_FOUND)
			return error_set(err, why.code,
					 "the fat binary holds machine code of a GPU and no PTX, "
					 "which is what the emulated device runs: compile with "
					 "-gencode arch=compute_75,code=compute_75");
		return error_set(err, why.code, "%s", why.text);
	}
	if (p.packing != FAT_BINARY_PLAIN)
		return unpack(&p, ret, err);
	buffer_append(ret, p.payload, p.len);
	return buffer_check(ret, err);
}
