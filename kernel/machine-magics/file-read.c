/* SPDX-License-Identifier: Apache-2.0 */
/* A command copies the beginning of the file into a file of memory, of which this process reads no
 * more than it takes; what the command says on stderr goes into another. */
#define _GNU_SOURCE
#include "kernel/machine-magics/file-read.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/whole-io.h"
#include "kernel/machine-magics/shell-word.h"
#include "kernel/session/cell.h"
#include "kernel/session/session.h"

#define CONTENT_MAX (1u << 20)
#define COMPLAINT_MAX 500

struct file_read {
	struct session *session;
	struct cell *cell;
	file_read_done *fn;
	int content, complaint; /* files of memory */
};

static void file_read_free(struct file_read *f)
{
	if (f->content >= 0)
		close(f->content);
	if (f->complaint >= 0)
		close(f->complaint);
	free(f);
}

/* Returns at most `max` bytes of the file as text; malloc-ed, NULL when memory is out. */
static char *take(int fd, size_t max, size_t *ret_len)
{
	char *text = malloc(max + 1);

	*ret_len = text ? whole_pread(fd, text, max, 0) : 0;
	if (text)
		text[*ret_len] = '\0';
	return text;
}

static char *take_content(const struct file_read *f, const char **ret_why)
{
	size_t len;
	char *text = take(f->content, CONTENT_MAX + 1, &len);

	*ret_why = !text                     ? "out of memory"
		   : len > CONTENT_MAX       ? "it is larger than a megabyte"
		   : memchr(text, '\0', len) ? "it is no text: it has a zero byte"
					     : "";
	if (**ret_why) {
		free(text);
		return NULL;
	}
	return text;
}

static void on_end(void *data, int status, const char *problem)
{
	struct file_read *f = data;
	const char *why = problem;
	char *content = NULL, *said = NULL;
	size_t len;

	if (!*problem && status) {
		said = take(f->complaint, COMPLAINT_MAX, &len);
		if (said)
			said[strcspn(said, "\n")] = '\0';
		why = said && *said ? said : "it was not read to its end";
	} else if (!*problem) {
		content = take_content(f, &why);
	}
	f->fn(f->session, f->cell, content, why);
	free(said);
	file_read_free(f);
}

static void interrupt(void *data)
{
	struct session *s = data;

	supervisor_interrupt_command(s->supervisor);
}

int file_read_start(struct session *s, struct cell *c, const char *path, file_read_done *fn,
		    struct error *err)
{
	cleanup_buffer struct buffer command = BUFFER_INIT;
	struct file_read *f = malloc(sizeof(*f));
	int failed;

	if (!f)
		return error_set(err, ERROR_MEMORY, "out of memory");
	*f = (struct file_read){ .session = s,
				 .cell = c,
				 .fn = fn,
				 .content = memfd_create("cgpu-file", MFD_CLOEXEC),
				 .complaint = memfd_create("cgpu-file", MFD_CLOEXEC) };
	buffer_printf(&command, "exec head -c %u -- ", CONTENT_MAX + 1);
	shell_word_put(path, &command);
	failed = f->content < 0 || f->complaint < 0 ? error_errno(err, "memfd_create")
						    : buffer_check(&command, err);
	if (failed || supervisor_command(s->supervisor, buffer_text(&command), f->content,
					 f->complaint, on_end, f, err)) {
		file_read_free(f);
		return -1;
	}
	c->cancel = interrupt;
	c->cancel_data = s;
	return 0;
}
