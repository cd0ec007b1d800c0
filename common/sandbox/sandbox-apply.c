/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order matters: what needs privileges (mounts, capabilities, raising oom_score_adj) comes before
 * what takes them away, the system call filter is last.
 */
#define _GNU_SOURCE
#include "common/sandbox/sandbox-apply.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/nsfs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/path.h"
#include "common/base/record.h"
#include "common/protocol/worker-protocol.h"
#include "common/sandbox/landlock.h"

#define OPEN_FILES 65536
#define OWN_PROCESSES 1024 /* beyond those that the user has already */

struct step {
	uint32_t flag;
	const char *name;
	int (*apply)(const struct sandbox_policy *p, struct error *err);
};

static int write_file(const char *path, const char *text, struct error *err)
{
	cleanup_fd int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return error_errno(err, "cannot write %s", path);
	return 0;
}

/* A user namespace in which we are who we were. */
static int enter_user_namespace(struct error *err)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	char map[64];

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return error_errno(err, "this machine lets an ordinary user make no namespace");
	snprintf(map, sizeof(map), "%u %u 1", uid, uid);
	if (write_file("/proc/self/setgroups", "deny", err) ||
	    write_file("/proc/self/uid_map", map, err))
		return -1;
	snprintf(map, sizeof(map), "%u %u 1", gid, gid);
	return write_file("/proc/self/gid_map", map, err);
}

int sandbox_apply_mount_namespace(struct error *err)
{
	if (unshare(CLONE_NEWNS) && enter_user_namespace(err))
		return -1;
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return error_errno(err, "cannot make mounts private");
	return 0;
}

static _Noreturn void end_uncontained(const struct error *why)
{
	log_error("this process ends, since it would see what cells must not: %s", why->text);
	_exit(EXIT_FAILURE);
}

static int open_to_cover(const struct hidden_path *h, bool in_view)
{
	struct error err = ERROR_INIT;
	int fd;

	if (in_view)
		return open(h->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	fd = hidden_path_open(h, &err);
	if (fd < 0)
		end_uncontained(&err);
	return fd;
}

/* What is written to a covered folder is seen by this process and its children alone. The mount
 * stays on the folder if that is moved. */
int sandbox_apply_cover(const struct hidden_path *h, bool in_view, struct error *err)
{
	cleanup_fd int fd = open_to_cover(h, in_view);
	char path[32];
	struct stat st;
	bool is_folder;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &st))
		return error_errno(err, "cannot cover %s", h->path);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	is_folder = S_ISDIR(st.st_mode);
	if (is_folder ? mount("none", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0700,size=16m")
		      : mount("/dev/null", path, NULL, MS_BIND, NULL))
		return error_errno(err, "cannot cover %s", h->path);
	return 0;
}

/* Tells whether a namespace is this process's own. */
static bool is_own(int ns, const char *own)
{
	struct stat theirs, ours;

	return !fstat(ns, &theirs) && !stat(own, &ours) && theirs.st_ino == ours.st_ino &&
	       theirs.st_dev == ours.st_dev;
}

/* Enters the view, and makes a copy of it: what is covered there is covered for this process and
 * its children, while files in memory are those of all who have entered. An ordinary user's view
 * belongs to a user namespace, which comes first. */
static int enter_view(int view, struct error *err)
{
	cleanup_fd int owner = ioctl(view, NS_GET_USERNS);
	char here[PATH_MAX];

	if (!getcwd(here, sizeof(here)))
		return error_errno(err, "the working folder is gone");
	if (owner < 0)
		return error_errno(err, "a view without an owner");
	if (!is_own(owner, "/proc/self/ns/user") && setns(owner, CLONE_NEWUSER))
		return error_errno(err, "cannot enter the user namespace of the view");
	if (setns(view, CLONE_NEWNS) || unshare(CLONE_NEWNS))
		return error_errno(err, "cannot enter the view");
	return chdir(here) ? error_errno(err, "cannot go to %s in the view", here) : 0;
}

static void enter_view_or_end(int view)
{
	struct error err = ERROR_INIT;

	if (!enter_view(view, &err))
		return;
	log_error("the profile cannot be kept: %s", err.text);
	_exit(EXIT_FAILURE);
}

static int hide_file(const struct sandbox_policy *p, struct error *err)
{
	if (!p->hidden.path[0])
		return 0;
	if (!p->view && sandbox_apply_mount_namespace(err))
		return -1;
	return sandbox_apply_cover(&p->hidden, p->view != 0, err);
}

/* The folders that cells of a workspace may change: the one of the notebook, which this process is
 * started in, and those that everybody may write. */
struct workspace {
	char here[PATH_MAX];
	const char *folders[5];
	size_t n;
};

static int find_workspace(struct workspace *w, const struct sandbox_policy *p, struct error *err)
{
	const char *temporary = getenv("TMPDIR");

	w->n = 0;
	if (!getcwd(w->here, sizeof(w->here)))
		return error_errno(err, "the working folder is gone");
	w->folders[w->n++] = w->here;
	w->folders[w->n++] = "/tmp";
	if (temporary && *temporary == '/')
		w->folders[w->n++] = temporary;
	if (!access("/dev/shm", F_OK))
		w->folders[w->n++] = "/dev/shm";
	if (p->writable)
		w->folders[w->n++] = p->writable;
	return 0;
}

/* Headers before glibc 2.36 have neither the call, of Linux 5.12, nor its argument. */
#define SYSCALL_MOUNT_SETATTR 442
#define MOUNT_READ_ONLY 1
#define MOUNTS_BELOW 0x8000
struct mount_change {
	uint64_t set, clear, propagation, user_namespace;
};

static int set_read_only(const char *path, bool read_only, unsigned flags)
{
	const struct mount_change change = { .set = read_only ? MOUNT_READ_ONLY : 0,
					     .clear = read_only ? 0 : MOUNT_READ_ONLY };

	return (int)syscall(SYSCALL_MOUNT_SETATTR, AT_FDCWD, path, flags, &change, sizeof(change));
}

/* What is mounted below it may be read-only for good. */
static int set_writable(const char *path, bool below, struct error *err)
{
	if ((!below || set_read_only(path, false, MOUNTS_BELOW)) && set_read_only(path, false, 0))
		return error_errno(err, "cannot keep %s writable", path);
	return 0;
}

/* Through these root changes the machine. They become mounts, so that they can be read-only. */
static int split_proc(struct error *err)
{
	static const char *const paths[] = { "/proc/sys", "/proc/sysrq-trigger", "/proc/irq",
					     "/proc/bus", "/proc/fs" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (mount(paths[i], paths[i], NULL, MS_BIND | MS_REC, NULL) && errno != ENOENT)
			return error_errno(err, "cannot mount %s", paths[i]);
	return 0;
}

/* Processes set attributes of their own in /proc. */
int sandbox_apply_read_only(const char *const *writable, size_t n, bool below, struct error *err)
{
	if (split_proc(err))
		return -1;
	if (set_read_only("/", true, MOUNTS_BELOW))
		return error_errno(err, "cannot make all mounts read-only");
	for (size_t i = 0; i < n; i++)
		if (set_writable(writable[i], below, err))
			return -1;
	return set_writable("/proc", false, err);
}

static int read_only_mounts(const struct sandbox_policy *p, struct error *err)
{
	struct workspace w;

	if (find_workspace(&w, p, err))
		return -1;
	for (size_t i = 0; i < w.n; i++)
		if (mount(w.folders[i], w.folders[i], NULL, MS_BIND | MS_REC, NULL))
			return error_errno(err, "cannot mount %s", w.folders[i]);
	if (sandbox_apply_read_only(w.folders, w.n, true, err))
		return -1;
	/* The current folder is looked up anew, in the mount that can be written. */
	return chdir(w.here) ? error_errno(err, "%s", w.here) : 0;
}

/* Those that reach beyond the own process and its files; also so that nobody uncovers what was
 * covered. */
static int drop_capabilities(const struct sandbox_policy *p, struct error *err)
{
	static const unsigned drop[] = { CAP_SYS_ADMIN, CAP_SYS_PTRACE,   CAP_SYS_MODULE,
					 CAP_SYS_RAWIO, CAP_SYS_BOOT,     CAP_SYS_TIME,
					 CAP_MKNOD,     CAP_SETPCAP,      CAP_NET_ADMIN,
					 CAP_BPF,       CAP_PERFMON,      CAP_CHECKPOINT_RESTORE,
					 CAP_MAC_ADMIN, CAP_MAC_OVERRIDE, CAP_SYSLOG };
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	(void)p;
	if (syscall(SYS_capget, &header, data))
		return error_errno(err, "cannot read the capabilities");
	for (unsigned i = 0; i < sizeof(drop) / sizeof(drop[0]); i++) {
		unsigned word = drop[i] / 32, bit = 1u << (drop[i] % 32);

		if (data[word].permitted & bit)
			prctl(PR_CAPBSET_DROP, drop[i], 0, 0, 0);
	}
	for (unsigned i = 0; i < sizeof(drop) / sizeof(drop[0]); i++) {
		unsigned word = drop[i] / 32, bit = 1u << (drop[i] % 32);

		data[word].permitted &= ~bit;
		data[word].effective &= ~bit;
		data[word].inheritable &= ~bit;
	}
	if (syscall(SYS_capset, &header, data))
		return error_errno(err, "cannot give up capabilities");
	return 0;
}

static int no_new_privileges(const struct sandbox_policy *p, struct error *err)
{
	(void)p;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? error_errno(err, "prctl") : 0;
}

static int lower_to(int resource, rlim_t value, struct error *err)
{
	struct rlimit l;

	if (getrlimit(resource, &l))
		return error_errno(err, "cannot read limit %d", resource);
	if (l.rlim_max > value)
		l.rlim_max = value;
	l.rlim_cur = l.rlim_max;
	return setrlimit(resource, &l) ? error_errno(err, "cannot set limit %d", resource) : 0;
}

/* Threads and processes of this user, as RLIMIT_NPROC counts them. */
static unsigned count_user_tasks(void)
{
	cleanup_dir DIR *d = opendir("/proc");
	unsigned n = 0;

	for (struct dirent *e; d && (e = readdir(d));) {
		char path[300];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/%s/task", e->d_name);
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && !stat(path, &st) &&
		    st.st_uid == getuid())
			n += (unsigned)(st.st_nlink > 2 ? st.st_nlink - 2 : 1);
	}
	return n;
}

static int limit_resources(const struct sandbox_policy *p, struct error *err)
{
	(void)p;
	if (lower_to(RLIMIT_CORE, 0, err) || lower_to(RLIMIT_NOFILE, OPEN_FILES, err))
		return -1;
	return getuid() ? lower_to(RLIMIT_NPROC, count_user_tasks() + OWN_PROCESSES, err) : 0;
}

/* Counted is what is mapped for writing, used or not. */
static int limit_memory(const struct sandbox_policy *p, struct error *err)
{
#ifdef __SANITIZE_ADDRESS__
	/* The sanitizer maps terabytes. */
	(void)p;
	(void)err;
	return 0;
#else
	return p->memory ? lower_to(RLIMIT_DATA, p->memory, err) : 0;
#endif
}

/* When memory runs out, a cell's process goes before everything else, however large the notebook
 * server is. */
static int raise_oom_score(const struct sandbox_policy *p, struct error *err)
{
	(void)p;
	return write_file("/proc/self/oom_score_adj", "1000", err);
}

static int scope(const struct sandbox_policy *p, struct error *err)
{
	(void)p;
	return landlock_scope(err);
}

/* Landlock would also deny what is made later beside the file and beside each folder above it. In
 * the folder of the notebook that is what cells write, read and include. */
bool sandbox_apply_hides_by_landlock(const struct sandbox_policy *p, struct error *why)
{
	char here[PATH_MAX];

	if (!(p->flags & SANDBOX_LANDLOCK) || !p->hidden.path[0] || p->in_force & SANDBOX_HIDE_FILE)
		return false;
	if (!getcwd(here, sizeof(here)) || !path_lies_in(p->hidden.path, here))
		return true;
	error_set(why, ERROR_UNSUPPORTED, "the notebook is in %s, above the connection file", here);
	return false;
}

int sandbox_apply_landlock_hide(const struct hidden_path *h, struct error *err)
{
	struct error why = ERROR_INIT;

	if (!landlock_hide(h, &why))
		return 0;
	if (why.code == ERROR_STATE)
		end_uncontained(&why);
	return error_set(err, why.code, "%s", why.text);
}

static int hide_by_landlock(const struct sandbox_policy *p, struct error *err)
{
	struct error why = ERROR_INIT;

	if (sandbox_apply_hides_by_landlock(p, &why))
		return sandbox_apply_landlock_hide(&p->hidden, err);
	return why.code ? error_set(err, why.code, "%s", why.text) : 0;
}

/* Where there is no mount namespace. Modes, owners and times of files are not Landlock's. */
static int write_in_workspace(const struct sandbox_policy *p, struct error *err)
{
	struct workspace w;

	if (p->in_force & SANDBOX_WORKSPACE)
		return 0;
	return find_workspace(&w, p, err) || landlock_write_beneath(w.folders, w.n, err) ? -1 : 0;
}

static int filter_calls(const struct sandbox_policy *p, struct error *err)
{
	cleanup_free struct sock_filter *filter = malloc(p->filter_len ? p->filter_len : 1);
	struct sock_fprog program = {
		.len = (unsigned short)(p->filter_len / sizeof(struct sock_filter)),
		.filter = filter,
	};

	if (!program.len)
		return 0;
	if (!filter)
		return error_set(err, ERROR_MEMORY, "out of memory for the system call filter");
	memcpy(filter, p->filter, p->filter_len);
	for (unsigned i = 0; i < program.len; i++) {
		if (filter[i].code != (BPF_JMP | BPF_JEQ | BPF_K))
			continue;
		if (filter[i].k == SECCOMP_OWN_PID)
			filter[i].k = (uint32_t)getpid();
		else if (filter[i].k == SECCOMP_OWN_GROUP)
			filter[i].k = (uint32_t)-getpid();
		else if (filter[i].k == SECCOMP_KERNEL_PID)
			filter[i].k = (uint32_t)(p->kernel_pid ? p->kernel_pid : getppid());
	}
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0))
		return error_errno(err, "linux refuses the system call filter");
	return 0;
}

static const struct step zygote_steps[] = {
	{ SANDBOX_HIDE_FILE, "hide the connection file", hide_file },
};

static const struct step worker_steps[] = {
	{ SANDBOX_LIMITS, "resource limits", limit_resources },
	{ SANDBOX_LIMITS, "preferred victim when memory runs out", raise_oom_score },
	{ SANDBOX_CAPABILITIES, "give up capabilities", drop_capabilities },
	{ UINT32_MAX, "no new privileges", no_new_privileges },
	{ SANDBOX_LANDLOCK, "no signals to other processes", scope },
	{ SANDBOX_LANDLOCK, "deny the connection file", hide_by_landlock },
	{ SANDBOX_WORKSPACE, "deny writes elsewhere", write_in_workspace },
	{ SANDBOX_SECCOMP, "system call filter", filter_calls },
};

static const struct step helper_steps[] = {
	{ SANDBOX_LIMITS, "limit of memory", limit_memory },
	{ SANDBOX_CAPABILITIES, "give up capabilities", drop_capabilities },
	{ UINT32_MAX, "no new privileges", no_new_privileges },
	{ SANDBOX_LANDLOCK, "no signals to other processes", scope },
	{ SANDBOX_LANDLOCK, "deny the connection file", hide_by_landlock },
	{ SANDBOX_WORKSPACE, "deny writes elsewhere", write_in_workspace },
	{ SANDBOX_SECCOMP, "system call filter", filter_calls },
};

void sandbox_report_add(struct sandbox_report *r, const char *step, const char *why)
{
	record_put_str(r->list, step);
	record_put_str(r->list, why);
	r->n++;
}

void sandbox_report_put(struct buffer *out, const struct sandbox_report *r)
{
	record_put_u32(out, r->n);
	buffer_append(out, r->list->data, r->list->len);
}

static unsigned apply(const struct step *steps, size_t n, const struct sandbox_policy *p,
		      struct sandbox_report *report)
{
	unsigned failed = 0;

	for (size_t i = 0; i < n; i++) {
		struct error err = ERROR_INIT;

		if (!(steps[i].flag & (p->flags | 1u << 31)) || !steps[i].apply(p, &err))
			continue;
		sandbox_report_add(report, steps[i].name, err.text);
		failed++;
	}
	return failed;
}

unsigned sandbox_apply_zygote(const struct sandbox_policy *p, struct sandbox_report *report)
{
	bool wanted = p->flags & SANDBOX_HIDE_FILE && p->hidden.path[0];
	struct error err = ERROR_INIT;
	unsigned in_force = 0;

	if (p->view)
		enter_view_or_end(p->view);
	if (!apply(zygote_steps, sizeof(zygote_steps) / sizeof(zygote_steps[0]), p, report) &&
	    wanted)
		in_force |= SANDBOX_HIDE_FILE;
	/* It is read-only already. */
	if (p->view)
		return in_force | SANDBOX_WORKSPACE;
	/* Landlock stands in for it, and is reported where it does not. */
	if (!in_force || !(p->flags & SANDBOX_WORKSPACE))
		return in_force;
	if (!read_only_mounts(p, &err))
		return in_force | SANDBOX_WORKSPACE;
	log_info("%s", err.text);
	return in_force;
}

void sandbox_apply_worker(const struct sandbox_policy *p, struct sandbox_report *report)
{
	apply(worker_steps, sizeof(worker_steps) / sizeof(worker_steps[0]), p, report);
}

void sandbox_apply_helper(const struct sandbox_policy *p, struct sandbox_report *report)
{
	apply(helper_steps, sizeof(helper_steps) / sizeof(helper_steps[0]), p, report);
}
