/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output streams are unbuffered: a ring record costs less than what a lost buffer costs the user
 * when the cell dies, and text shows up while the cell runs. libc formats a whole printf() before
 * it calls the stream, so that is one record.
 */
#define _GNU_SOURCE
#include "runtime/exports/cell-stdio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "common/protocol/output-ring.h"
#include "runtime/process/cell-mode.h"
#include "runtime/process/worker.h"

#define INPUT_BUFFER 4096

static struct {
	struct buffer line; /* what the front end sent and the stream has not taken yet */
	bool at_end;
	char input[INPUT_BUFFER];
	int instead[3]; /* files that a cell has put in the place of its streams, by descriptor
			   number */
} streams = { .line = BUFFER_INIT, .instead = { -1, -1, -1 } };

void cell_stdio_print(bool to_stderr, const char *text, size_t len)
{
	if (!worker.is_child && worker.control) { /* the zygote has none */
		output_ring_write(worker.control, to_stderr ? OUTPUT_STDERR : OUTPUT_STDOUT, text,
				  len);
		return;
	}
	while (len) {
		ssize_t n = write(to_stderr ? 2 : 1, text, len);

		if (n <= 0)
			return;
		text += n;
		len -= (size_t)n;
	}
}

static ssize_t write_stream(int stream, const char *data, size_t len)
{
	if (streams.instead[stream] >= 0)
		return write(streams.instead[stream], data, len);
	cell_stdio_print(stream == STDERR_FILENO, data, len);
	return (ssize_t)len;
}

static ssize_t write_stdout(void *cookie, const char *data, size_t len)
{
	(void)cookie;
	return write_stream(STDOUT_FILENO, data, len);
}

static ssize_t write_stderr(void *cookie, const char *data, size_t len)
{
	(void)cookie;
	return write_stream(STDERR_FILENO, data, len);
}

static int request_input(struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_str(&b, "");
	record_put_u8(&b, 0);
	if (buffer_check(&b, err))
		return -1;
	return worker_send(WORKER_INPUT_REQUEST, b.data, b.len, -1, err);
}

/* The line or its end of file; -1 with errno when interrupted. */
static int take_input(const struct ipc_message *m)
{
	struct record r = record_open(m->data, m->len);
	bool eof = record_u8(&r);
	const char *text = record_str(&r);

	if (m->type != WORKER_INPUT || r.failed) {
		errno = EIO;
		return -1;
	}
	streams.at_end = eof;
	if (!eof) {
		buffer_puts(&streams.line, text);
		buffer_putc(&streams.line, '\n');
	}
	return 0;
}

static int wait_for_input(void)
{
	struct error err = ERROR_INIT;

	if (request_input(&err)) {
		errno = EIO;
		return -1;
	}
	for (;;) {
		struct ipc_message m;
		int r;

		if (atomic_load(&worker.control->interrupt)) {
			errno = EINTR;
			return -1;
		}
		r = worker_receive(&m, 100, &err);
		if (r < 0)
			worker_exit(0);
		if (r > 0) {
			r = take_input(&m);
			ipc_message_release(&m);
			return r;
		}
	}
}

static ssize_t read_stdin(void *cookie, char *data, size_t len)
{
	uint32_t phase = atomic_load(&worker.control->phase);
	int r = 0;

	(void)cookie;
	if (streams.instead[STDIN_FILENO] >= 0)
		return read(streams.instead[STDIN_FILENO], data, len);
	if (worker.is_child || streams.at_end)
		return 0;
	cell_mode_enter_library();
	if (!streams.line.len) {
		worker_set_phase(PHASE_INPUT);
		r = wait_for_input();
		worker_set_phase((enum worker_phase)phase);
	}
	if (len > streams.line.len)
		len = streams.line.len;
	if (!r && len) {
		memcpy(data, streams.line.data, len);
		buffer_consume(&streams.line, len);
	}
	cell_mode_leave_library();
	return r ? -1 : (ssize_t)len;
}

static FILE *open_input(void)
{
	FILE *f = fopencookie(NULL, "r", (cookie_io_functions_t){ .read = read_stdin });

	if (f)
		setvbuf(f, streams.input, _IOFBF, sizeof(streams.input));
	return f;
}

int cell_stdio_init(struct error *err)
{
	FILE *out = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = write_stdout });
	FILE *errors = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = write_stderr });
	FILE *in = open_input();

	if (!out || !errors || !in)
		return error_set(err, ERROR_MEMORY, "no memory for the cell's streams");
	setvbuf(out, NULL, _IONBF, 0);
	setvbuf(errors, NULL, _IONBF, 0);
	stdout = out;
	stderr = errors;
	stdin = in;
	return 0;
}

static int number_of(const FILE *f)
{
	return f == stdin ? STDIN_FILENO : f == stdout ? STDOUT_FILENO : STDERR_FILENO;
}

static void put_instead(int stream, int fd)
{
	if (streams.instead[stream] >= 0)
		close(streams.instead[stream]);
	streams.instead[stream] = fd;
}

static void restore_all(void)
{
	for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
		put_instead(stream, -1);
}

/* How a file is opened that stands for this stream; -1 for a mode that it cannot have. */
static int open_flags(int stream, const char *mode)
{
	if (stream == STDIN_FILENO)
		return *mode == 'r' ? O_RDONLY : -1;
	switch (*mode) {
	case 'w':
		return O_WRONLY | O_CREAT | O_TRUNC;
	case 'a':
		return O_WRONLY | O_CREAT | O_APPEND;
	default:
		return *mode == 'r' && strchr(mode, '+') ? O_WRONLY : -1;
	}
}

int cell_stdio_redirect(FILE *f, const char *path, const char *mode)
{
	int stream = number_of(f), flags = open_flags(stream, mode), fd;

	if (flags < 0) {
		errno = EINVAL;
		return -1;
	}
	if (!path)
		return 0;
	fd = open(path, flags | O_CLOEXEC, 0666);
	if (fd < 0)
		return -1;
	if (stream == STDIN_FILENO)
		__fpurge(f);
	clearerr(f);
	put_instead(stream, fd);
	return 0;
}

void cell_stdio_restore(FILE *f)
{
	put_instead(number_of(f), -1);
}

void cell_stdio_begin(void)
{
	restore_all();
	buffer_clear(&streams.line);
	streams.at_end = false;
	__fpurge(stdin);
	clearerr(stdin);
	clearerr(stdout);
	clearerr(stderr);
}

void cell_stdio_end(void)
{
	fflush(NULL);
	restore_all();
}

void cell_stdio_renew_input(void)
{
	FILE *f = open_input();

	if (f)
		stdin = f;
}

void cell_stdio_leave(void)
{
	worker.is_child = true;
}

bool cell_stdio_is_ours(const FILE *f)
{
	return f == stdout || f == stderr || f == stdin;
}
