/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc tells which files must exist: one folder for each GPU in driver/nvidia/gpus, the device
 * numbers in /proc/devices, and in driver/nvidia/params whether the administrator allows such
 * files, and with which mode. nvidia-modprobe comes first, since it also loads modules; a container
 * often has the driver's libraries without it.
 */
#define _GNU_SOURCE
#include "kernel/sandbox/nvidia-nodes.h"

#include <dirent.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "kernel/base/process.h"

#define CARDS_MAX 64
#define PATH_SIZE 512
#define CARDS_MAJOR 195 /* registered for NVIDIA in the list of device numbers of Linux */
#define CONTROL_MINOR 255
#define MODPROBE_MS 10000
#define KILLED_MS 1000
#define MODPROBE_WORDS_MAX (4 + 2 * CARDS_MAX)

extern char **environ;

struct node {
	char name[24];
	unsigned major, minor; /* major 0: its module is not loaded */
};

struct search {
	const struct nvidia_nodes_places *places;
	bool loaded; /* the kernel module */
	struct node nodes[CARDS_MAX + 2];
	unsigned n;
};

static bool join(const char *folder, const char *name, char ret[PATH_SIZE])
{
	return snprintf(ret, PATH_SIZE, "%s/%s", folder, name) < PATH_SIZE;
}

static FILE *open_in(const char *folder, const char *name)
{
	char path[PATH_SIZE];

	return join(folder, name, path) ? fopen(path, "re") : NULL;
}

static void add(struct search *s, unsigned major, unsigned minor, const char *name)
{
	struct node *node = &s->nodes[s->n++];

	snprintf(node->name, sizeof(node->name), "%s", name);
	node->major = major;
	node->minor = minor;
}

/* Returns the number behind "NAME:" in a file of such lines, or `otherwise`. */
static unsigned long field(FILE *f, const char *name, unsigned long otherwise)
{
	unsigned long value = otherwise;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
			value = strtoul(line + strlen(name) + 1, NULL, 10);
	if (f)
		fclose(f);
	return value;
}

/* Returns the number before a name of /proc/devices; 0: there is no such name. */
static unsigned major_of(const struct search *s, const char *name)
{
	FILE *f = open_in(s->places->proc, "devices");
	unsigned found = 0, number;
	char line[256], word[64];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%u %63s", &number, word) == 2 && !strcmp(word, name))
			found = number;
	if (f)
		fclose(f);
	return found;
}

static void add_cards(struct search *s)
{
	char folder[PATH_SIZE], name[24];
	struct dirent *e;
	DIR *d;

	d = join(s->places->proc, "driver/nvidia/gpus", folder) ? opendir(folder) : NULL;
	while (d && s->n < CARDS_MAX && (e = readdir(d))) {
		char file[300];
		unsigned long minor;

		snprintf(file, sizeof(file), "%s/information", e->d_name);
		minor = field(open_in(folder, file), "Device Minor", CARDS_MAX);
		if (minor >= CARDS_MAX)
			continue;
		snprintf(name, sizeof(name), "nvidia%lu", minor);
		add(s, CARDS_MAJOR, (unsigned)minor, name);
	}
	if (d)
		closedir(d);
}

static void look(struct search *s)
{
	FILE *version = open_in(s->places->proc, "driver/nvidia/version");

	s->n = 0;
	s->loaded = version != NULL;
	if (version)
		fclose(version);
	add_cards(s);
	add(s, CARDS_MAJOR, CONTROL_MINOR, "nvidiactl");
	add(s, major_of(s, "nvidia-uvm"), 0, "nvidia-uvm");
}

static bool is_there(const struct search *s, const struct node *node)
{
	char path[PATH_SIZE];

	return join(s->places->dev, node->name, path) && !access(path, F_OK);
}

static bool is_complete(const struct search *s)
{
	unsigned n = 0;

	while (n < s->n && is_there(s, &s->nodes[n]))
		n++;
	return n == s->n;
}

/* Lists the names of the missing files, or of the others. */
static void list(const struct search *s, bool lacking, char *ret, size_t size)
{
	size_t len = 0;

	*ret = '\0';
	for (unsigned i = 0; i < s->n && len < size; i++)
		if (is_there(s, &s->nodes[i]) != lacking)
			len += (size_t)snprintf(ret + len, size - len, "%s%s/%s", len ? ", " : "",
						s->places->dev, s->nodes[i].name);
}

/* Runs nvidia-modprobe and tells whether it exists. Its effect is found by looking again. */
static bool run_modprobe(const struct search *s)
{
	char minors[CARDS_MAX][8],
		*words[MODPROBE_WORDS_MAX] = { (char *)s->places->modprobe, "-u" };
	struct process p = PROCESS_INIT;
	unsigned n = 2, cards = 0;

	for (unsigned i = 0; i < s->n; i++) {
		if (s->nodes[i].major != CARDS_MAJOR || s->nodes[i].minor == CONTROL_MINOR)
			continue;
		snprintf(minors[cards], sizeof(minors[0]), "%u", s->nodes[i].minor);
		words[n++] = "-c";
		words[n++] = minors[cards++];
	}
	if (!cards)
		words[n++] = "-c0";
	words[n] = NULL;
	if (posix_spawnp(&p.pid, words[0], NULL, NULL, words, environ))
		return false;
	p.pidfd = pidfd_of(p.pid, NULL);
	if (!process_wait(p.pidfd, MODPROBE_MS))
		log_warning("%s has not ended in %d s", words[0], MODPROBE_MS / 1000);
	process_end(&p, KILLED_MS);
	return true;
}

static void make_by_hand(const struct search *s)
{
	const char *params = "driver/nvidia/params", *proc = s->places->proc;
	char path[PATH_SIZE];
	mode_t mode, mask;

	if (!s->loaded || !field(open_in(proc, params), "ModifyDeviceFiles", 1))
		return;
	mode = (mode_t)field(open_in(proc, params), "DeviceFileMode", 0666) & 0666;
	mask = umask(0);
	for (unsigned i = 0; i < s->n; i++) {
		const struct node *node = &s->nodes[i];

		if (node->major && !is_there(s, node) && join(s->places->dev, node->name, path) &&
		    mknod(path, S_IFCHR | mode, makedev(node->major, node->minor)))
			log_info("mknod %s: %m", path);
	}
	umask(mask);
}

static void tell_lacking(const struct search *s, bool has_modprobe, struct nvidia_nodes *ret)
{
	char names[NVIDIA_NODES_TEXT_MAX - 64];

	list(s, true, names, sizeof(names));
	ret->outcome = NVIDIA_NODES_LACKING;
	if (!s->loaded)
		snprintf(ret->text, sizeof(ret->text),
			 "the kernel module of NVIDIA's driver is not loaded, and nvidia-modprobe "
			 "could not load it");
	else
		snprintf(ret->text, sizeof(ret->text), "%s: not there, and %s", names,
			 has_modprobe ? "nvidia-modprobe could not make them"
				      : "there is no nvidia-modprobe to make them");
}

void nvidia_nodes_make(const struct nvidia_nodes_places *places, struct nvidia_nodes *ret)
{
	struct search s = { .places = places };
	bool has_modprobe = false;

	*ret = (struct nvidia_nodes){ .outcome = NVIDIA_NODES_THERE };
	look(&s);
	if (is_complete(&s)) {
		list(&s, false, ret->text, sizeof(ret->text));
		return;
	}
	has_modprobe = run_modprobe(&s);
	if (!has_modprobe && !s.loaded) {
		ret->outcome = NVIDIA_NODES_NO_DRIVER;
		return;
	}
	look(&s); /* modules were loaded, and have GPUs and device numbers */
	make_by_hand(&s);
	if (!is_complete(&s)) {
		tell_lacking(&s, has_modprobe, ret);
		return;
	}
	ret->outcome = NVIDIA_NODES_MADE;
	list(&s, false, ret->text, sizeof(ret->text));
}
