/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file by which kernels share a device, which all their users can write. Input: the file. A
 * second owner, who only holds a lock, makes what it says in the second slot count.
 */
#define _GNU_SOURCE
#include "kernel/share/share.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "tests/fuzz/fuzz.h"

#define TOTAL (1ull << 30)
#define HEADER 16

static const uint8_t gpu[SHARE_UUID_SIZE] = "the only GPU";

/* Returns a descriptor by which the second slot has a living owner. */
static int own_second_slot(const char *path)
{
	struct flock l = { .l_type = F_WRLCK,
			   .l_whence = SEEK_SET,
			   .l_start = HEADER + sizeof(struct share_slot),
			   .l_len = 1 };
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0 || fcntl(fd, F_OFD_SETLK, &l))
		abort();
	return fd;
}

static bool one(const uint8_t *data, size_t size)
{
	struct share_request r = { .device = gpu, .total = TOTAL, .bytes = 4096, .waits = true };
	cleanup_buffer struct buffer out = BUFFER_INIT;
	enum share_answer answer;
	unsigned others = 0;
	char path[128];
	struct share s;
	uint64_t bytes;
	int second;

	fuzz_file("share", data, size);
	snprintf(path, sizeof(path), "%s/share", fuzz_path());
	if (share_open(&s, path, "fuzzed", NULL))
		return false;
	second = own_second_slot(path);
	share_ask(&s, &r, &answer, NULL);
	share_hold(&s, gpu, 4096, NULL);
	share_wanted(&s, gpu, &bytes, NULL);
	share_held_by_others(&s, gpu, &bytes, NULL);
	share_glance(&s, gpu, &out, &others, NULL);
	share_table(&s, gpu, &out, &others, NULL);
	share_close(&s);
	close(second);
	return others == 1;
}

static bool seed(unsigned i, struct buffer *to)
{
	struct share_slot slot = { .pid = 1, .name = "another" };
	struct share s;
	char path[128];

	if (i)
		return false;
	fuzz_file("share", "", 0);
	snprintf(path, sizeof(path), "%s/share", fuzz_path());
	if (share_open(&s, path, "first", NULL) || share_hold(&s, gpu, TOTAL / 2, NULL))
		abort();
	fuzz_read(path, to);
	memcpy(slot.rows[0].device, gpu, sizeof(gpu));
	slot.rows[0].held = TOTAL / 4;
	buffer_append(to, &slot, sizeof(slot));
	share_close(&s);
	return true;
}

/* Closing what watches the file takes Linux 10 ms. */
const struct fuzz_target fuzz_share = { one, seed, 200 };
