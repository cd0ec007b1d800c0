/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgpu-kernel: reads the options, and then starts things in the order that security requires. The
 * zygote and the other processes are started first, and only then the connection file with the
 * signing key is read, so no process that runs user code has ever shared memory with it. All else
 * waits until the ports are open: a client that finds them closed tries again a tenth of a second
 * later.
 */
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cache-folder.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/path.h"
#include "config.h"
#include "kernel/base/guard.h"
#include "kernel/base/loop.h"
#include "kernel/base/temporary-name.h"
#include "kernel/install.h"
#include "kernel/protocol/channels.h"
#include "kernel/protocol/connection-file.h"
#include "kernel/protocol/registration.h"
#include "kernel/requests/dispatch.h"
#include "kernel/requests/execute.h"
#include "kernel/sandbox/machine-memory.h"
#include "kernel/session/history.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"
#include "kernel/settings/jupyter-folders.h"
#include "kernel/settings/language.h"
#include "kernel/settings/limits.h"
#include "kernel/settings/options.h"
#include "kernel/settings/paths.h"
#include "kernel/show/doctor.h"
#include "kernel/supervisor/supervisor.h"

/*
 * The threshold above which malloc() maps blocks, so that dropped memory of a cell goes back to
 * Linux. glibc would otherwise raise it with the first large block that is freed, and then hold
 * several times the memory in use, between blocks that the undo log keeps and drops.
 */
#define LARGE_BLOCK (128 << 10)

/* Signals become events of the loop, by handlers instead of a blocked mask, which children would
 * inherit. */
static int signal_fd = -1;
static volatile sig_atomic_t interrupted, terminated;

static void on_signal(int sig)
{
	int saved = errno;

	if (sig == SIGINT)
		interrupted = 1;
	else
		terminated = 1;
	eventfd_write(signal_fd, 1);
	errno = saved;
}

static void handle_signals(void *data)
{
	struct session *s = data;
	eventfd_t n;

	eventfd_read(signal_fd, &n);
	if (interrupted) {
		interrupted = 0;
		execute_interrupt(s);
	}
	if (terminated)
		loop_stop(s->loop);
}

static void catch_signals(struct session *s)
{
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	signal_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	loop_add_fd(s->loop, signal_fd, handle_signals, s);
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGHUP, &act, NULL);
}

static void on_parent_end(void *data)
{
	log_warning("the process that started this kernel has ended; so does the kernel");
	loop_stop(data);
}

/*
 * Opens the process of the launcher, which puts its process id into JPY_PARENT_PID: without the
 * launcher nobody would ever stop this process. Returns a descriptor that is readable when it ends,
 * -1 if there is none to watch. It is opened first of all, while the launcher surely lives.
 */
static int open_parent(void)
{
	const char *text = getenv("JPY_PARENT_PID");
	int pidfd;

	if (!text || atoi(text) != getppid())
		return -1;
	pidfd = syscall(SYS_pidfd_open, atoi(text), 0);
	if (pidfd < 0)
		log_warning("cannot watch the parent process: %s", strerror(errno));
	return pidfd;
}

#define OUTPUT_LIMIT (2ull << 20)

static struct limits limits; /* read before anything else */

struct folders {
	char libexec[4096]; /* of the programs that the kernel process starts */
	char floods[4096];  /* of files with all text of floods, which need not exist; "": none */
};

static int find_libexec(const struct options *o, struct folders *ret, struct error *err)
{
	if (!*o->libexec_dir)
		return install_find("cgpu-worker", "libexec/cgpu", PATHS_PKGLIBEXEC, ret->libexec,
				    sizeof(ret->libexec), err);
	snprintf(ret->libexec, sizeof(ret->libexec), "%s", o->libexec_dir);
	return 0;
}

/* Appends Jupyter's runtime folder if the connection file is in it, else the connection file. */
static void what_is_hidden(const struct options *o, struct buffer *ret)
{
	cleanup_buffer struct buffer folders = BUFFER_INIT;
	cleanup_free char *real = realpath(o->connection_file, NULL);

	jupyter_folders_runtime(&folders);
	for (size_t at = 0; real && at < folders.len; at += strlen(folders.data + at) + 1)
		if (path_lies_in(real, folders.data + at)) {
			buffer_puts(ret, folders.data + at);
			return;
		}
	buffer_puts(ret, o->connection_file);
}

static struct supervisor *start_supervisor(const struct options *o, const struct folders *folders,
					   struct error *err)
{
	cleanup_buffer struct buffer hidden = BUFFER_INIT;
	struct supervisor_options so = {
		.libexec_dir = folders->libexec,
		.language = o->language->word,
		.host_limit =
			limits_apply(&limits, LIMIT_RAM, o->host_limit, 0, machine_memory_total()),
		.proc_dir = o->proc_dir,
		.device_limit = o->device_limit,
		.limits = &limits,
		.readable = *folders->floods ? folders->floods : NULL,
		.undo_limit = o->undo_limit,
		.disabled_sandbox = o->disabled_sandbox,
		.profile = limits_profile(&limits, o->profile),
	};

	what_is_hidden(o, &hidden);
	if (buffer_check(&hidden, err))
		return NULL;
	so.hidden = buffer_text(&hidden);
	return supervisor_new(&so, err);
}

/* Hides the files of the kernel's own sockets, over which cells must not talk to it. */
static void hide_sockets(struct supervisor *supervisor, const struct connection_file *connection)
{
	char endpoint[4096];

	for (enum channel channel = 0; connection->ipc && channel < CHANNELS; channel++) {
		connection_file_endpoint(connection, channel, endpoint, sizeof(endpoint));
		supervisor_hide(supervisor, endpoint + strlen("ipc://"));
	}
}

static void hide_other_kernels(struct supervisor *supervisor)
{
	cleanup_buffer struct buffer folders = BUFFER_INIT;

	jupyter_folders_runtime(&folders);
	for (size_t at = 0; at < folders.len; at += strlen(folders.data + at) + 1)
		supervisor_hide(supervisor, folders.data + at);
}

/* Hides what the compiler keeps for the next cells and for other notebooks, which would run it. */
static void hide_cache(struct supervisor *supervisor)
{
	cleanup_buffer struct buffer folder = BUFFER_INIT;
	struct error err = ERROR_INIT;

	if (cache_folder(&folder, &err))
		log_info("%s", err.text);
	else
		supervisor_hide_from_cells(supervisor, buffer_text(&folder));
}

/* Hides the notebooks beside this one in the profile `locked`: tests that a grader has put into
 * them are not for the code that they test. */
static void hide_notebooks(struct supervisor *supervisor)
{
	cleanup_free char *folder = getcwd(NULL, 0);
	cleanup_dir DIR *dir = folder ? opendir(folder) : NULL;
	const struct dirent *d;

	while (dir && (d = readdir(dir))) {
		cleanup_buffer struct buffer path = BUFFER_INIT;
		size_t len = strlen(d->d_name);

		if (len < 6 || strcmp(d->d_name + len - 6, ".ipynb") != 0)
			continue;
		buffer_printf(&path, "%s/%s", folder, d->d_name);
		supervisor_hide(supervisor, buffer_text(&path));
	}
}

/* Returns the file that all kernels of a user on this machine share; containers that are to share
 * mount one folder and name it. */
static void share_path(const struct options *o, char *ret, size_t size)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (*o->share)
		snprintf(ret, size, "%s", o->share);
	else if (runtime && *runtime)
		snprintf(ret, size, "%s/cgpu/share", runtime);
	else
		snprintf(ret, size, "/tmp/cgpu-%u/share", getuid());
}

static void share_devices(const struct options *o, struct supervisor *supervisor)
{
	const char *notebook = getenv("JPY_SESSION_NAME");
	struct error err = ERROR_INIT;
	char path[4096];

	if (!strcmp(o->share, "off"))
		return;
	share_path(o, path, sizeof(path));
	if (supervisor_share(supervisor, path, notebook ? notebook : "", &err))
		log_warning("device memory is not shared with other kernels: %s", err.text);
}

static void set_parking(const struct options *o, struct supervisor *supervisor)
{
	const struct eviction_rules rules = {
		.idle_ms = o->park_idle,
		.when_wanted = true,
		.memory_max = o->park_memory,
	};

	eviction_set_rules(supervisor, &rules);
}

static struct history *start_history(const struct options *o, struct supervisor *supervisor,
				     const char *libexec, struct loop *loop)
{
	cleanup_buffer struct buffer confinement = BUFFER_INIT;

	supervisor_confinement(supervisor, &confinement);
	return history_new(libexec, o->history, &confinement, loop);
}

/* Runs from the connection file to the end of the session. */
static int serve(const struct options *o, struct supervisor *supervisor,
		 const struct folders *folders, struct loop *loop, struct error *err)
{
	struct history *history = NULL;
	struct connection_file connection;
	struct channels channels = { 0 };
	struct registration registration = { .path = "" };
	struct session session;
	int rc = -1;

	if (connection_file_read(&connection, o->connection_file, err))
		return -1;
	if (channels_open(&channels, &connection, err) ||
	    registration_tell(&registration, &connection, err))
		goto out;
	/* Before the compiler starts, which cannot be kept from a file later. */
	hide_sockets(supervisor, &connection);
	hide_other_kernels(supervisor);
	hide_cache(supervisor);
	if (supervisor_profile(supervisor) == PROFILE_LOCKED)
		hide_notebooks(supervisor);
	history = start_history(o, supervisor, folders->libexec, loop);
	share_devices(o, supervisor);
	if (supervisor_launch(supervisor, err))
		goto out;
	set_parking(o, supervisor);
	if (session_init(&session, o, &connection, loop, supervisor, &channels, history, err))
		goto out;
	history = NULL;
	if (*folders->floods)
		output_keep_floods(&session.output, folders->floods, o->output_files);
	connection_file_release(&connection);
	catch_signals(&session);
	dispatch_start(&session);
	loop_run(loop);
	dispatch_stop(&session);
	session_release(&session);
	rc = 0;
out:
	history_free(history);
	channels_close(&channels);
	registration_release(&registration);
	connection_file_release(&connection);
	return rc;
}

static int run(const struct options *o, struct error *err)
{
	int parent = open_parent(), rc;
	struct supervisor *supervisor;
	struct loop *loop;
	struct folders folders = { 0 };

	temporary_name("cgpu-output", folders.floods, sizeof(folders.floods));
	if (guard_enter(folders.floods, err) || find_libexec(o, &folders, err))
		return -1;
	supervisor = start_supervisor(o, &folders, err);
	if (!supervisor)
		return -1;
	loop = loop_new();
	if (loop && parent >= 0)
		loop_add_fd(loop, parent, on_parent_end, loop);
	rc = loop ? serve(o, supervisor, &folders, loop, err)
		  : error_set(err, ERROR_MEMORY, "out of memory");
	supervisor_free(supervisor);
	loop_free(loop);
	return rc;
}

static int doctor(const struct options *o, struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct supervisor *supervisor;
	struct folders folders = { 0 };
	int rc;

	if (find_libexec(o, &folders, err))
		return -1;
	supervisor = start_supervisor(o, &folders, err);
	if (!supervisor)
		return -1;
	rc = supervisor_launch(supervisor, err);
	if (!rc)
		doctor_report(supervisor, NULL, &text);
	supervisor_free(supervisor);
	fputs(buffer_text(&text), stdout);
	return rc;
}

int main(int argc, char **argv)
{
	struct options options;
	struct error err = ERROR_INIT;
	int rc = 0;

	mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
	log_init("cgpu-kernel");
	signal(SIGPIPE, SIG_IGN);
	if (options_read(&options, argc, argv, &err)) {
		fprintf(stderr, "cgpu-kernel: %s\n", err.text);
		return 2;
	}
	limits_read(&limits);
	options.output_limit =
		limits_apply(&limits, LIMIT_OUTPUT, options.output_limit, OUTPUT_LIMIT, 0);
	if (limits.problems.len)
		log_warning("limits: %s", buffer_text(&limits.problems));
	switch (options.action) {
	case ACTION_RUN:
		rc = run(&options, &err);
		break;
	case ACTION_INSTALL:
		rc = install_for_jupyter(options.prefix, &err);
		break;
	case ACTION_DOCTOR:
		rc = doctor(&options, &err);
		break;
	case ACTION_VERSION:
		puts(PACKAGE_STRING);
		break;
	case ACTION_HELP:
		options_help(stdout);
		break;
	}
	limits_release(&limits);
	if (rc)
		fprintf(stderr, "cgpu-kernel: %s\n", err.text);
	return rc ? 1 : 0;
}
