/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between the kernel process and cgpu-launcher, which does for cells what is neither C nor
 * the compiler's: it runs the commands of `!` and writes the files of %%writefile, contained, and
 * as a descendant of one process, so that what one command leaves running another one can end.
 *
 *   kernel                              launcher
 *     LAUNCHER_CONFINE  ------------->    contains itself
 *             <-------------  LAUNCHER_HELLO
 *     LAUNCHER_RUN or LAUNCHER_WRITE ->   one at a time
 *     LAUNCHER_INTERRUPT ------------>    any number of them
 *             <-------------  LAUNCHER_ENDED
 *
 * 1. Each RUN and WRITE has one ENDED with its number, or the process ends.
 * 2. Nothing runs before the containment.
 */
#ifndef CGPU_COMMON_PROTOCOL_LAUNCHER_PROTOCOL_H
#define CGPU_COMMON_PROTOCOL_LAUNCHER_PROTOCOL_H

#define LAUNCHER_SOCKET_FD 3
#define LAUNCHER_PROTOCOL_VERSION 3u

enum launcher_message {
	/* kernel -> launcher */
	LAUNCHER_CONFINE = 1, /* see common/sandbox/confinement.h */
	/* u32 number, the connection file (common/sandbox/hidden-path.h), str command, str folder,
	 * [str NAME=VALUE] the environment; fds: standard output, standard error */
	LAUNCHER_RUN = 2,
	LAUNCHER_WRITE = 3, /* u32 number, str path, str folder, u8 append, bytes content */
	/* u32 number, u8 kill: SIGINT, or SIGKILL, to the command's process group. */
	LAUNCHER_INTERRUPT = 4,

	/* launcher -> kernel */
	/* u32 LAUNCHER_PROTOCOL_VERSION, [str step, str why it was not applied] */
	LAUNCHER_HELLO = 10,
	/* u32 number, u32 status as waitpid() gives it, str what went wrong or "", str a folder:
	 * what the command has made in it the command itself could not read; or "" */
	LAUNCHER_ENDED = 11,
};

#endif
