/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system call filter of workers and helpers, as the bytes of a BPF program that the process
 * installs on itself. The policy is kernel/sandbox/syscalls.def.
 */
#ifndef CGPU_KERNEL_SANDBOX_SECCOMP_H
#define CGPU_KERNEL_SANDBOX_SECCOMP_H

struct buffer;
struct error;

/* Rows of syscalls.def beside those that are ALWAYS in force. */
enum seccomp_rows {
	SECCOMP_CELLS = 1 << 0,     /* for who needs no debugger: cells and the compiler */
	SECCOMP_NO_SCOPE = 1 << 1,  /* Landlock does not keep signals inside */
	SECCOMP_WORKSPACE = 1 << 2, /* for the profile of that name */
};

/*
 * Appends struct sock_filter[] to ret. more: enum seccomp_rows. The program has the placeholders
 * SECCOMP_OWN_PID, SECCOMP_OWN_GROUP and SECCOMP_KERNEL_PID of common/protocol/worker-protocol.h in
 * it. unknown: names of system calls that this libseccomp does not know are appended, ", " between
 * them.
 */
int seccomp_program(unsigned more, struct buffer *ret, struct buffer *unknown, struct error *err);

#endif
