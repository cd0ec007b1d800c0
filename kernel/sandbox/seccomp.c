/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two BPF programs, one behind the other. The first is made here from the rows that compare an
 * argument with pids, which only the worker knows; libseccomp has no such rule.
 * A system call that it does not refuse falls through into the second, which libseccomp makes from
 * all other rows.
 */
#define _GNU_SOURCE
#include "kernel/sandbox/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/ioprio.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/protocol/worker-protocol.h"

enum rule {
	RULE_DENY,
	RULE_MISSING,
	RULE_BITS,
	RULE_EQUAL,
	RULE_FIELD,
	RULE_UNLESS,
	RULE_OWN_PID,
	RULE_KERNEL_PID,
	RULE_COMMAND,
};
/* ALWAYS has no bit to ask for. */
enum when {
	WHEN_ALWAYS = 0,
	WHEN_CELLS = SECCOMP_CELLS,
	WHEN_NO_SCOPE = SECCOMP_NO_SCOPE,
	WHEN_WORKSPACE = SECCOMP_WORKSPACE,
};

struct row {
	const char *name;
	enum rule rule;
	unsigned argument;
	enum when when;
	uint64_t value, mask;
	unsigned pid_argument; /* of a COMMAND */
};

#define SOCKET_TYPE 0xf /* of what socket() takes as a type; the other bits are flags */

static const struct row rows[] = {
#define SYSCALL(name, rule, argument, when, why)                                                   \
	{ #name, RULE_##rule, argument, WHEN_##when, 0, 0, argument },
#define SYSCALL_BITS(name, argument, mask, when, why)                                              \
	{ #name, RULE_BITS, argument, WHEN_##when, mask, mask, 0 },
#define SYSCALL_EQUAL(name, argument, value, when, why)                                            \
	{ #name, RULE_EQUAL, argument, WHEN_##when, value, 0xffffffff, 0 },
#define SYSCALL_FIELD(name, argument, mask, value, when, why)                                      \
	{ #name, RULE_FIELD, argument, WHEN_##when, value, mask, 0 },
#define SYSCALL_UNLESS(name, argument, value, when, why)                                           \
	{ #name, RULE_UNLESS, argument, WHEN_##when, value, 0, 0 },
#define SYSCALL_COMMAND(name, argument, command, pid_argument, when, why)                          \
	{ #name, RULE_COMMAND, argument, WHEN_##when, command, 0, pid_argument },
#include "kernel/sandbox/syscalls.def"
#undef SYSCALL
#undef SYSCALL_BITS
#undef SYSCALL_EQUAL
#undef SYSCALL_FIELD
#undef SYSCALL_UNLESS
#undef SYSCALL_COMMAND
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static bool applies(const struct row *r, unsigned more)
{
	return r->when == WHEN_ALWAYS || r->when & more;
}

static void emit(struct buffer *b, uint16_t code, uint8_t jt, uint8_t jf, uint32_t k)
{
	struct sock_filter f = { code, jt, jf, k };

	buffer_append(b, &f, sizeof(f));
}

/* Loads an argument. Only the low half is compared, since these arguments are ints. */
static void emit_load(struct buffer *b, unsigned argument)
{
	emit(b, BPF_LD | BPF_W | BPF_ABS, 0, 0,
	     (uint32_t)(offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t)));
}

/* Goes on behind the next `skip` instructions unless what was loaded has this value. */
static void emit_if(struct buffer *b, uint32_t value, uint8_t skip)
{
	emit(b, BPF_JMP | BPF_JEQ | BPF_K, 0, skip, value);
}

static void emit_refusal(struct buffer *b)
{
	emit(b, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM);
}

static void emit_pid_rule(struct buffer *b, int number, const struct row *r)
{
	uint8_t command = r->rule == RULE_COMMAND ? 2 : 0;
	uint8_t rest = r->rule == RULE_KERNEL_PID ? 3 : 5;

	emit(b, BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
	emit_if(b, (uint32_t)number, command + rest);
	if (command) {
		emit_load(b, r->argument);
		emit_if(b, (uint32_t)r->value, rest);
	}
	emit_load(b, r->pid_argument);
	if (r->rule == RULE_KERNEL_PID) {
		emit_if(b, SECCOMP_KERNEL_PID, 1);
	} else {
		emit(b, BPF_JMP | BPF_JEQ | BPF_K, 3, 0, 0);
		emit(b, BPF_JMP | BPF_JEQ | BPF_K, 2, 0, SECCOMP_OWN_PID);
		emit(b, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, SECCOMP_OWN_GROUP);
	}
	emit_refusal(b);
}

static bool is_pid_rule(const struct row *r)
{
	return r->rule == RULE_OWN_PID || r->rule == RULE_KERNEL_PID || r->rule == RULE_COMMAND;
}

/* Emits the rules with pids. The second program refuses system calls of another architecture, so
 * their numbers need not be checked here. */
static void pid_rules(unsigned more, struct buffer *ret, struct buffer *unknown)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		int number;

		if (!is_pid_rule(&rows[i]) || !applies(&rows[i], more))
			continue;
		number = seccomp_syscall_resolve_name(rows[i].name);
		if (number >= 0)
			emit_pid_rule(ret, number, &rows[i]);
		else
			buffer_printf(unknown, "%s%s", unknown->len ? ", " : "", rows[i].name);
	}
}

static int add_row(scmp_filter_ctx ctx, const struct row *r, int number)
{
	struct scmp_arg_cmp same = { r->argument, SCMP_CMP_MASKED_EQ, r->mask, r->value };
	struct scmp_arg_cmp other = { r->argument, SCMP_CMP_NE, r->value, 0 };

	switch (r->rule) {
	case RULE_MISSING:
		return seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), number, 0);
	case RULE_BITS:
	case RULE_EQUAL:
	case RULE_FIELD:
		return seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), number, 1, same);
	case RULE_UNLESS:
		return seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), number, 1, other);
	default:
		return seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), number, 0);
	}
}

static int add_rows(scmp_filter_ctx ctx, unsigned more, struct buffer *unknown, struct error *err)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		int number, failed;

		if (is_pid_rule(&rows[i]) || !applies(&rows[i], more))
			continue;
		number = seccomp_syscall_resolve_name(rows[i].name);
		/* Negative numbers other than the error are system calls that this architecture
		 * does not have. */
		if (number == __NR_SCMP_ERROR)
			buffer_printf(unknown, "%s%s", unknown->len ? ", " : "", rows[i].name);
		if (number < 0)
			continue;
		failed = add_row(ctx, &rows[i], number);
		if (failed) {
			errno = -failed;
			return error_errno(err, "libseccomp refuses the rule for %s", rows[i].name);
		}
	}
	return 0;
}

static int export(scmp_filter_ctx ctx, struct buffer *ret, struct error *err)
{
	cleanup_fd int fd = memfd_create("seccomp", MFD_CLOEXEC);
	int failed;
	off_t len;
	void *at;

	if (fd < 0)
		return error_errno(err, "memfd_create for a seccomp program");
	failed = seccomp_export_bpf(ctx, fd);
	if (failed) {
		errno = -failed;
		return error_errno(err, "seccomp_export_bpf");
	}
	len = lseek(fd, 0, SEEK_END);
	at = buffer_extend(ret, (size_t)len);
	if (at && pread(fd, at, (size_t)len, 0) != len)
		return error_errno(err, "cannot read the seccomp program back");
	return buffer_check(ret, err);
}

int seccomp_program(unsigned more, struct buffer *ret, struct buffer *unknown, struct error *err)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	int result;

	if (!ctx)
		return error_set(err, ERROR_MEMORY, "libseccomp cannot make a filter");
	seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));
	pid_rules(more, ret, unknown);
	result = add_rows(ctx, more, unknown, err);
	if (!result)
		result = export(ctx, ret, err);
	seccomp_release(ctx);
	return result;
}
