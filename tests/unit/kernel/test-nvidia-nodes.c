/* SPDX-License-Identifier: Apache-2.0 */
/* Machines in a folder: what NVIDIA's kernel module shows in /proc, and a program in the place of
 * nvidia-modprobe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel/sandbox/nvidia-nodes.h"

static char root[] = "/tmp/test-nvidia-nodes-XXXXXX", proc[64], dev[64], modprobe[64];
static struct nvidia_nodes_places places = { proc, dev, modprobe };

static void run(const char *format, ...)
{
	char command[512] = "";
	va_list ap;
	int n = snprintf(command, sizeof(command), "cd %s && ", root);

	va_start(ap, format);
	vsnprintf(command + n, sizeof(command) - (size_t)n, format, ap);
	va_end(ap);
	assert_int_equal(system(command), 0);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(strrchr(root, '-'), "-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	snprintf(proc, sizeof(proc), "%s/proc", root);
	snprintf(dev, sizeof(dev), "%s/dev", root);
	snprintf(modprobe, sizeof(modprobe), "%s/modprobe", root);
	run("mkdir proc dev && printf 'Character devices:\\n  1 mem\\n' >proc/devices");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	run("rm -rf %s", root);
	return 0;
}

static void load_module(void)
{
	run("mkdir -p proc/driver/nvidia/gpus/0000:01:00.0 proc/driver/nvidia/gpus/0000:02:00.0 && "
	    "cd proc/driver/nvidia && echo NVRM >version && printf 'Model:\\tNVIDIA H200\\nDevice "
	    "Minor:\\t 0\\n' >gpus/0000:01:00.0/information && printf 'Device Minor:\\t 3\\n' "
	    ">gpus/0000:02:00.0/information && printf 'ModifyDeviceFiles: 1\\nDeviceFileMode: "
	    "432\\n' >params && echo '510 nvidia-uvm' >>../../devices");
}

/* It keeps its arguments in `said`. */
static void have_modprobe(const char *text)
{
	run("printf '#!/bin/sh\\ncd %s; echo \"$@\" >said\\n%s\\n' >modprobe && chmod 755 modprobe",
	    root, text);
}

static void check_outcome(int outcome, const char *words)
{
	struct nvidia_nodes n;

	nvidia_nodes_make(&places, &n);
	if (!strstr(n.text, words))
		print_message("%s\n", n.text);
	assert_int_equal(n.outcome, outcome);
	assert_non_null(strstr(n.text, words));
}

static void a_machine_without_a_driver_is_left_alone(void **state)
{
	(void)state;
	check_outcome(NVIDIA_NODES_NO_DRIVER, "");
	run("test -z \"$(ls dev)\"");
}

static void nothing_is_run_where_all_are_there(void **state)
{
	(void)state;
	load_module();
	have_modprobe("exit 1");
	run("touch dev/nvidia0 dev/nvidia3 dev/nvidiactl dev/nvidia-uvm");
	check_outcome(NVIDIA_NODES_THERE, "/nvidiactl");
	run("test ! -e said");
}

static void the_program_of_the_driver_makes_them_for_each_card(void **state)
{
	(void)state;
	load_module();
	have_modprobe("touch dev/nvidia0 dev/nvidia3 dev/nvidiactl dev/nvidia-uvm");
	check_outcome(NVIDIA_NODES_MADE, "/nvidia-uvm");
	run("test \"$(tr ' ' '\\n' <said | sort | tr '\\n' ' ')\" = '-c -c -u 0 3 '");
}

static void a_module_that_is_not_loaded_yet_is_loaded(void **state)
{
	(void)state;
	have_modprobe("mkdir -p proc/driver/nvidia; touch proc/driver/nvidia/version dev/nvidiactl "
		      "dev/nvidia-uvm");
	check_outcome(NVIDIA_NODES_MADE, "/nvidiactl");
	run("grep -q -- '-u -c0' said");
}

static void what_is_lacking_is_named(void **state)
{
	(void)state;
	have_modprobe("exit 1");
	check_outcome(NVIDIA_NODES_LACKING, "is not loaded, and nvidia-modprobe could not load it");
	load_module();
	run("sed -i 's/ModifyDeviceFiles: 1/ModifyDeviceFiles: 0/' proc/driver/nvidia/params && "
	    "touch dev/nvidia0 dev/nvidiactl");
	check_outcome(NVIDIA_NODES_LACKING, "/nvidia3, ");
	check_outcome(NVIDIA_NODES_LACKING, "not there, and nvidia-modprobe could not make them");
	run("rm modprobe");
	check_outcome(NVIDIA_NODES_LACKING,
		      "/nvidia-uvm: not there, and there is no nvidia-modprobe to make them");
}

static void check_node(const char *name, unsigned major, unsigned minor)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dev, name);
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(st.st_mode & 0777, 0660);
	assert_int_equal(major(st.st_rdev), major);
	assert_int_equal(minor(st.st_rdev), minor);
}

/* Without the right to make devices the answer is that they are lacking. */
static void root_makes_them_by_hand(void **state)
{
	char path[128];
	bool may;

	(void)state;
	load_module();
	snprintf(path, sizeof(path), "%s/probe", root);
	may = !mknod(path, S_IFCHR | 0600, makedev(1, 3));
	check_outcome(may ? NVIDIA_NODES_MADE : NVIDIA_NODES_LACKING, "/nvidia-uvm");
	if (!may)
		return;
	check_node("nvidia0", 195, 0);
	check_node("nvidia3", 195, 3);
	check_node("nvidiactl", 195, 255);
	check_node("nvidia-uvm", 510, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_machine_without_a_driver_is_left_alone, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(nothing_is_run_where_all_are_there, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_program_of_the_driver_makes_them_for_each_card,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_module_that_is_not_loaded_yet_is_loaded, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_lacking_is_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(root_makes_them_by_hand, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
