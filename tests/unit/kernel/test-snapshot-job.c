/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots on disk without a kernel: what is loaded is what was saved; a process that ends at any
 * step of a save leaves the old snapshot or the new one; a file that was cut short anywhere is
 * refused; a full disk leaves the old one.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/base/error.h"
#include "common/base/record.h"
#include "kernel/disk/snapshot-job.h"
#include "kernel/state/arena-file.h"
#include "kernel/state/snapshot.h"

#define HEAP_PAGES 100u
#define DEVICE_BYTES (200u * 1024)

static char folder[256];
static struct snapshot_view view = SNAPSHOT_VIEW_INIT;

/* Content of a session; `value` makes one differ from another. */
struct content {
	struct arena_file arena;
	int device_fd;
	uint64_t top[ARENA_REGIONS];
	char device[DEVICE_BYTES];
};

static void fill_pages(const struct content *c, enum arena_region r, unsigned seed)
{
	uint32_t page[ARENA_PAGE / 4];

	for (uint64_t at = 0; at < c->top[r]; at += ARENA_PAGE) {
		if (at / ARENA_PAGE % 7 == 3)
			continue; /* a hole */
		for (size_t i = 0; i < ARENA_PAGE / 4; i++)
			page[i] = (uint32_t)(i * at * seed + r);
		assert_int_equal(pwrite(c->arena.fd, page, sizeof(page),
					(off_t)(arena_region_offset(r) + at)),
				 sizeof(page));
	}
}

static struct content make_content(unsigned seed)
{
	struct content c = { .device_fd = memfd_create("device", MFD_CLOEXEC) };

	assert_int_equal(arena_file_init(&c.arena, NULL, NULL), 0);
	c.top[ARENA_META] = 20 * ARENA_PAGE;
	c.top[ARENA_CODE] = 3 * ARENA_PAGE;
	c.top[ARENA_HEAP] = HEAP_PAGES * ARENA_PAGE;
	for (int r = 0; r < ARENA_REGIONS; r++)
		fill_pages(&c, (enum arena_region)r, seed);
	for (size_t i = 0; i < DEVICE_BYTES; i++)
		c.device[i] = (char)(i * seed >> 3);
	assert_int_equal(write(c.device_fd, c.device, DEVICE_BYTES), DEVICE_BYTES);
	return c;
}

static void content_release(struct content *c)
{
	arena_file_release(&c->arena);
	close(c->device_fd);
}

/* As the event loop does. */
static int finish(struct snapshot_job *j, const struct content *c, struct error *err)
{
	struct snapshot_piece wanted;
	enum snapshot_job_state state;
	int result;

	if (snapshot_job_start(j, err))
		return -1;
	while ((state = snapshot_job_state(j, &wanted)) != JOB_DONE) {
		struct pollfd fd = { j->wake, POLLIN, 0 };
		uint64_t count;

		if (state == JOB_WANTS_DEVICE)
			snapshot_job_give(j, dup(c->device_fd));
		assert_int_equal(poll(&fd, 1, 180000), 1);
		assert_int_equal(read(j->wake, &count, sizeof(count)), sizeof(count));
	}
	result = j->failed ? -1 : 0;
	if (result)
		*err = j->error;
	return result;
}

static void must(int result, const struct error *err)
{
	if (result)
		fail_msg("%s", err->text);
}

static int save(const char *name, const struct content *c, const struct save_hook *hook,
		struct error *err)
{
	struct snapshot_job *j = snapshot_job_new(JOB_SAVE, folder, name, err);
	int result;

	j->automatic = !strcmp(name, SNAPSHOT_CURRENT);
	if (hook)
		j->hook = *hook;
	j->arena.fd = dup(c->arena.fd);
	j->view = &view;
	must(snapshot_view_open(&view, c->top, 0, err), err);
	j->file.owner = 1;
	j->file.count = 12;
	memcpy(j->file.top, c->top, sizeof(c->top));
	buffer_puts(&j->file.session, "what the session layer keeps");
	j->pieces = calloc(1, sizeof(*j->pieces));
	j->pieces[0] = (struct snapshot_piece){ .address = DEVICE_BASE + 4096 * 1024,
						.size = DEVICE_BYTES };
	j->n_pieces = 1;
	record_put_u32(&j->file.device, 1);
	record_put_u64(&j->file.device, j->pieces[0].address);
	record_put_u64(&j->file.device, j->pieces[0].size);
	result = finish(j, c, err);
	snapshot_job_free(j);
	snapshot_view_close(&view);
	return result;
}

static int same_region(const struct content *c, int memfd, enum arena_region r)
{
	char a[ARENA_PAGE], b[ARENA_PAGE];

	for (uint64_t at = 0; at < c->top[r]; at += ARENA_PAGE) {
		off_t offset = (off_t)(arena_region_offset(r) + at);

		if (pread(c->arena.fd, a, sizeof(a), offset) != sizeof(a) ||
		    pread(memfd, b, sizeof(b), offset) != sizeof(b) || memcmp(a, b, sizeof(a)))
			return 0;
	}
	return 1;
}

/* 1: it is this content; 0: another one; -1: it is refused. */
static int load(const char *name, const struct content *c, struct error *err)
{
	struct snapshot_job *j = snapshot_job_new(JOB_LOAD, folder, name, err);
	char device[DEVICE_BYTES];
	int result = finish(j, c, err) ? -1 : 1;

	if (result > 0) {
		for (int r = 0; r < ARENA_REGIONS && result; r++)
			result = j->file.top[r] == c->top[r] &&
				 same_region(c, j->arena.fd, (enum arena_region)r);
		assert_int_equal(j->n_pieces, 1);
		assert_int_equal(pread(j->device_fd, device, DEVICE_BYTES, 0), DEVICE_BYTES);
		result = result && !memcmp(device, c->device, DEVICE_BYTES);
		assert_string_equal(buffer_text(&j->file.session), "what the session layer keeps");
	}
	snapshot_job_free(j);
	return result;
}

static int remove_file(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return unlink(path);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/cgpu-snapshots-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	static const char *const names[] = { "blocks",       "blocks.new", ".writing",
					     "a.snapshot",   "b.snapshot", "current.snapshot",
					     "last.snapshot" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		remove_file(names[i]);
	return rmdir(folder);
}

static void test_what_is_loaded_is_what_was_saved(void **state)
{
	struct content one = make_content(5), two = make_content(9);
	struct error err = ERROR_INIT;

	(void)state;
	must(save("a", &one, NULL, &err), &err);
	must(save("b", &two, NULL, &err), &err);
	assert_int_equal(load("a", &one, &err), 1);
	assert_int_equal(load("b", &two, &err), 1);
	assert_int_equal(load("b", &one, &err), 0);
	assert_int_equal(load("c", &one, &err), -1);
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	content_release(&one);
	content_release(&two);
}

static off_t blocks_size(void)
{
	struct stat st;
	char path[512];

	snprintf(path, sizeof(path), "%s/blocks", folder);
	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

static void test_equal_content_is_kept_once(void **state)
{
	struct content one = make_content(5);
	struct error err = ERROR_INIT;
	off_t size;

	(void)state;
	must(save("a", &one, NULL, &err), &err);
	size = blocks_size();
	must(save("b", &one, NULL, &err), &err);
	assert_int_equal(blocks_size(), size);
	assert_int_equal(pwrite(one.arena.fd, "x", 1, (off_t)(ARENA_HEAP_OFFSET + 70000)), 1);
	must(save("a", &one, NULL, &err), &err);
	assert_true(blocks_size() > size && blocks_size() < size + 80000);
	assert_int_equal(load("a", &one, &err), 1);
	assert_int_equal(load("b", &one, &err), 0);
	content_release(&one);
}

/* At the first block, change the memory. */
struct changer {
	const struct content *content;
	bool kept, done;
};

static void change_at_block(void *data, enum save_step step)
{
	struct changer *c = data;
	const char other[ARENA_PAGE] = "other";

	if (step != SAVE_BLOCK || c->done)
		return;
	c->done = true;
	if (!c->kept)
		snapshot_view_break(&view);
	for (int r = 0; r < ARENA_REGIONS; r++) {
		struct dirty_range at = { ARENA_BASE + arena_region_offset((enum arena_region)r),
					  c->content->top[r] };

		snapshot_view_keep(&view, c->content->arena.fd, ARENA_BASE,
				   &(struct dirty_ranges){ &at, 1, 1, at.size });
		for (uint64_t page = 0; page < at.size; page += ARENA_PAGE)
			assert_int_equal(pwrite(c->content->arena.fd, other, ARENA_PAGE,
						(off_t)(at.address - ARENA_BASE + page)),
					 ARENA_PAGE);
	}
}

static void test_a_commit_meanwhile_is_not_in_it(void **state)
{
	struct content one = make_content(5), changed = make_content(5);
	struct changer changer = { &changed, true, false };
	struct save_hook hook = { change_at_block, &changer };
	struct error err = ERROR_INIT;

	(void)state;
	must(save("a", &changed, &hook, &err), &err);
	assert_true(changer.done);
	assert_int_equal(load("a", &one, &err), 1);
	assert_int_equal(load("a", &changed, &err), 0);
	content_release(&one);
	content_release(&changed);
}

static void test_another_change_gives_it_up(void **state)
{
	struct content one = make_content(5), changed = make_content(6);
	struct changer changer = { &changed, false, false };
	struct save_hook hook = { change_at_block, &changer };
	struct error err = ERROR_INIT;

	(void)state;
	must(save("a", &one, NULL, &err), &err);
	assert_int_equal(save("a", &changed, &hook, &err), -1);
	assert_int_equal(err.code, ERROR_STATE);
	assert_int_equal(load("a", &one, &err), 1);
	content_release(&one);
	content_release(&changed);
}

struct ender {
	enum save_step step;
	int after;
};

static void end_at(void *data, enum save_step step)
{
	struct ender *e = data;

	if (step == e->step && e->after-- <= 0)
		_exit(42);
}

/* 42: it ended at the step. */
static int save_in_child(const char *name, const struct content *c, enum save_step step, int after)
{
	struct ender e = { step, after };
	struct save_hook hook = { end_at, &e };
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid)
		_exit(save(name, c, &hook, &(struct error){ 0 }) ? 1 : 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void end_at_step(const struct content *old, const struct content *new, enum save_step step,
			int after)
{
	struct error err = ERROR_INIT;
	bool is_new = step >= SAVE_RENAMED;

	must(save("a", old, NULL, &err), &err);
	assert_int_equal(save_in_child("a", new, step, after), 42);
	if (load("a", old, &err) != !is_new || load("a", new, &err) != is_new)
		fail_msg("ended at step %d (%d): neither old nor new as it should be", step, after);
	/* And the folder is as good as ever. */
	must(save("a", new, NULL, &err), &err);
	assert_int_equal(load("a", new, &err), 1);
}

static void test_ended_at_every_step(void **state)
{
	struct content old = make_content(5), new = make_content(11);

	(void)state;
	for (int step = 0; step <= SAVE_RENAMED; step++) {
		set_up(NULL);
		end_at_step(&old, &new, (enum save_step)step, 0);
		tear_down(NULL);
	}
	for (int after = 1; after < 6; after++) {
		set_up(NULL);
		end_at_step(&old, &new, SAVE_BLOCK, after);
		tear_down(NULL);
	}
	set_up(NULL);
	content_release(&old);
	content_release(&new);
}

/* Many bytes that do not compress, so that a sweep is worth it. */
static struct content make_large(unsigned seed)
{
	struct content c = make_content(seed);
	static uint32_t block[BLOCK_SIZE / 4];
	uint32_t x = seed;

	c.top[ARENA_HEAP] = 24 * MIB;
	for (uint64_t at = 0; at < c.top[ARENA_HEAP]; at += BLOCK_SIZE) {
		for (size_t i = 0; i < BLOCK_SIZE / 4; i++)
			block[i] = x = x * 1664525u + 1013904223u;
		assert_int_equal(
			pwrite(c.arena.fd, block, BLOCK_SIZE, (off_t)(ARENA_HEAP_OFFSET + at)),
			BLOCK_SIZE);
	}
	return c;
}

static void test_ended_while_sweeping(void **state)
{
	struct content small = make_content(5), large = make_large(3);
	struct error err = ERROR_INIT;

	(void)state;
	for (int step = SAVE_SWEEPING; step <= SAVE_SWEPT; step++) {
		must(save("b", &small, NULL, &err), &err);
		must(save("a", &large, NULL, &err), &err);
		assert_int_equal(save_in_child("a", &small, (enum save_step)step, 0), 42);
		assert_int_equal(load("a", &small, &err), 1);
		assert_int_equal(load("b", &small, &err), 1);
		must(save("a", &small, NULL, &err), &err);
		assert_true(blocks_size() < (off_t)(8 * MIB));
		assert_int_equal(load("b", &small, &err), 1);
	}
	content_release(&small);
	content_release(&large);
}

static void cut_everywhere(const char *name, const struct content *c)
{
	struct error err = ERROR_INIT;
	struct stat st;
	char path[512], *whole;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDWR);
	assert_int_equal(fstat(fd, &st), 0);
	whole = malloc((size_t)st.st_size);
	assert_int_equal(read(fd, whole, (size_t)st.st_size), st.st_size);
	for (off_t len = st.st_size - 1; len >= 0; len -= 10) {
		assert_int_equal(ftruncate(fd, len), 0);
		err = (struct error)ERROR_INIT;
		if (load("a", c, &err) != -1 || !strstr(err.text, "'a'"))
			fail_msg("%s of %ld bytes was taken for whole: %s", name, (long)len,
				 err.text);
	}
	assert_int_equal(pwrite(fd, whole, (size_t)st.st_size, 0), st.st_size);
	assert_int_equal(load("a", c, &err), 1);
	free(whole);
	close(fd);
}

static void test_cut_at_every_tenth_byte(void **state)
{
	struct content c = make_content(1);
	struct error err = ERROR_INIT;

	(void)state;
	memset(c.top, 0, sizeof(c.top));
	c.top[ARENA_META] = 2 * ARENA_PAGE;
	must(save("a", &c, NULL, &err), &err);
	cut_everywhere("a.snapshot", &c);
	cut_everywhere("blocks", &c);
	content_release(&c);
}

/* A byte of a file, and back. */
static void flip(const char *name, off_t at)
{
	char path[512], byte;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDWR);
	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte ^= 0x10;
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

static off_t file_size(const char *name)
{
	char path[512];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return stat(path, &st) ? -1 : st.st_size;
}

static void flip_everywhere(const char *name, off_t step, const struct content *c)
{
	struct error err;

	for (off_t at = 0; at < file_size(name); at += step) {
		err = (struct error)ERROR_INIT;
		flip(name, at);
		/* Some bits mean nothing to the packer: then the content is what it was. */
		if (load("a", c, &err) != 1 && !strstr(err.text, "'a'"))
			fail_msg("%s with byte %ld changed was taken for whole: %s", name, (long)at,
				 err.text);
		flip(name, at);
	}
	assert_int_equal(load("a", c, &err), 1);
}

static void test_a_changed_byte_anywhere(void **state)
{
	struct content c = make_content(1);
	struct error err = ERROR_INIT;

	(void)state;
	memset(c.top, 0, sizeof(c.top));
	c.top[ARENA_META] = 2 * ARENA_PAGE;
	must(save("a", &c, NULL, &err), &err);
	flip_everywhere("a.snapshot", 1, &c);
	flip_everywhere("blocks", 3, &c);
	content_release(&c);
}

/* In the header of the first record, or in its content. */
static void damage_the_first(off_t at)
{
	struct content one = make_content(5), two = make_content(9);
	struct error err = ERROR_INIT;

	must(save("a", &one, NULL, &err), &err);
	must(save("b", &two, NULL, &err), &err);
	flip("blocks", at);
	assert_int_equal(load("a", &one, &err), -1);
	assert_int_equal(load("b", &two, &err), 1);
	must(save(SNAPSHOT_CURRENT, &two, NULL, &err), &err);
	assert_int_equal(load("b", &two, &err), 1);
	/* Saving it anew makes it whole: what is damaged is not taken for saved. */
	must(save("a", &one, NULL, &err), &err);
	assert_int_equal(load("a", &one, &err), 1);
	assert_int_equal(load("b", &two, &err), 1);
	content_release(&one);
	content_release(&two);
}

static void test_damage_of_one_is_none_of_the_others(void **state)
{
	(void)state;
	damage_the_first(8);
}

static void test_damaged_content_is_written_again(void **state)
{
	(void)state;
	damage_the_first(100);
}

/* The whole of a save with `room` bytes for each file: 0 when it fits. */
static int save_with(off_t room, const struct content *c, struct error *err)
{
	struct rlimit before, limit;
	int result;

	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = (rlim_t)room;
	setrlimit(RLIMIT_FSIZE, &limit);
	result = save("a", c, NULL, err);
	setrlimit(RLIMIT_FSIZE, &before);
	return result;
}

/* It fills up in the blocks, at each of many places, and in the list of them; each time all is as
 * before. */
static void fill_up(const struct content *old, const struct content *new, off_t from, off_t step)
{
	off_t blocks = file_size("blocks"), list = file_size("a.snapshot"), room = from;
	struct error err = ERROR_INIT;
	unsigned refused = 0;

	for (; save_with(room, new, &err); room += step, refused++) {
		assert_non_null(strstr(err.text, "was not written"));
		assert_non_null(strstr(err.text, folder));
		assert_non_null(strstr(err.text, "File too large"));
		assert_int_equal(file_size("blocks"), blocks);
		assert_int_equal(file_size("a.snapshot"), list);
		assert_int_equal(file_size(".writing"), -1);
		assert_int_equal(load("a", old, &err), 1);
		err = (struct error)ERROR_INIT;
	}
	if (refused < 5)
		fail_msg("the disk was full %u times only, from %ld by %ld", refused, (long)from,
			 (long)step);
	assert_int_equal(load("a", new, &err), 1);
}

static void test_full_disk_keeps_the_old_one(void **state)
{
	struct content old = make_content(5), new = make_large(3);
	struct error err = ERROR_INIT;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	must(save("a", &old, NULL, &err), &err);
	fill_up(&old, &new, file_size("blocks") + 1000, MIB);
	/* All blocks are there: what is left is the list. */
	fill_up(&new, &old, 0, file_size("a.snapshot") / 200);
	content_release(&old);
	content_release(&new);
}

static void test_what_another_process_left_half_is_swept(void **state)
{
	struct content one = make_content(5);
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(save_in_child("a", &one, SAVE_LISTED, 0), 42);
	assert_true(file_size(".writing") > 0);
	must(save("b", &one, NULL, &err), &err);
	assert_int_equal(file_size(".writing"), -1);
	assert_int_equal(load("a", &one, &err), -1);
	content_release(&one);
}

/* A change that its hash covers, so that it is no damage. */
static void change_soundly(const char *name, size_t at, int by)
{
	char path[512], record[8192];
	uint64_t hash;
	off_t size;
	size_t len;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDWR);
	size = file_size(name);
	if (size < 24 || (size_t)size - 24 > sizeof(record)) {
		fail();
		return;
	}
	len = (size_t)size - 24;
	assert_int_equal(pread(fd, record, len, 16), len);
	record[at] = (char)(record[at] + by);
	hash = XXH3_64bits(record, len);
	assert_int_equal(pwrite(fd, record, len, 16), len);
	assert_int_equal(pwrite(fd, &hash, sizeof(hash), (off_t)(16 + len)), sizeof(hash));
	close(fd);
}

/* The record begins with the format (u32) and the machine (u32 length, text). */
static void test_another_format_or_machine(void **state)
{
	struct content c = make_content(5);
	struct error err = ERROR_INIT;

	(void)state;
	must(save("a", &c, NULL, &err), &err);
	change_soundly("a.snapshot", 0, 1);
	assert_int_equal(load("a", &c, &err), -1);
	assert_non_null(strstr(err.text, "'a'"));
	assert_non_null(strstr(err.text, "it has format"));
	change_soundly("a.snapshot", 0, -1);
	change_soundly("a.snapshot", 8, 1);
	assert_int_equal(load("a", &c, &err), -1);
	assert_non_null(strstr(err.text, "its code does not run on"));
	change_soundly("a.snapshot", 8, -1);
	assert_int_equal(load("a", &c, &err), 1);
	content_release(&c);
}

static void test_automatic_ones(void **state)
{
	struct content one = make_content(5), two = make_content(6);
	struct error err = ERROR_INIT;
	int dir;

	(void)state;
	must(save(SNAPSHOT_CURRENT, &one, NULL, &err), &err);
	dir = snapshot_folder_open(folder, false, &err);
	assert_string_equal(snapshot_file_last(dir, 1), SNAPSHOT_LAST);
	assert_string_equal(snapshot_file_last(dir, 2), SNAPSHOT_CURRENT);
	assert_int_equal(load(SNAPSHOT_LAST, &one, &err), 1); /* for owner 0 */
	assert_int_equal(renameat(dir, "current.snapshot", dir, "last.snapshot"), 0);
	must(save(SNAPSHOT_CURRENT, &two, NULL, &err), &err);
	assert_int_equal(load(SNAPSHOT_CURRENT, &two, &err), 1);
	assert_true(snapshot_name_is_good("a-b_c.2") && !snapshot_name_is_good(".a") &&
		    !snapshot_name_is_good("a/b") && !snapshot_name_is_good(""));
	close(dir);
	content_release(&one);
	content_release(&two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_what_is_loaded_is_what_was_saved, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_equal_content_is_kept_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_commit_meanwhile_is_not_in_it, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_another_change_gives_it_up, set_up, tear_down),
		cmocka_unit_test(test_ended_at_every_step),
		cmocka_unit_test_setup_teardown(test_ended_while_sweeping, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_cut_at_every_tenth_byte, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_changed_byte_anywhere, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_damage_of_one_is_none_of_the_others, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_damaged_content_is_written_again, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_full_disk_keeps_the_old_one, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_what_another_process_left_half_is_swept,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_another_format_or_machine, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_automatic_ones, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
