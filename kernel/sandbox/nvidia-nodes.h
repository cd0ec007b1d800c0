/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device files by which NVIDIA's driver reaches a GPU: /dev/nvidiactl, /dev/nvidia-uvm and one
 * for each card. After a boot they are not there until the first program that uses CUDA makes them,
 * by mknod() or the setuid program nvidia-modprobe. A worker may do neither, so the kernel process
 * sees to it before the first one is forked.
 */
#ifndef CGPU_KERNEL_SANDBOX_NVIDIA_NODES_H
#define CGPU_KERNEL_SANDBOX_NVIDIA_NODES_H

#define NVIDIA_NODES_TEXT_MAX 512 /* 16 cards fit */

/* Where they are looked for. */
struct nvidia_nodes_places {
	const char *proc;     /* "/proc" */
	const char *dev;      /* "/dev" */
	const char *modprobe; /* "nvidia-modprobe", looked for in PATH */
};

struct nvidia_nodes {
	enum {
		NVIDIA_NODES_NO_DRIVER, /* this machine has no kernel module of NVIDIA's, and no
					   program that could load it */
		NVIDIA_NODES_THERE,
		NVIDIA_NODES_MADE,
		NVIDIA_NODES_LACKING,
	} outcome;
	char text[NVIDIA_NODES_TEXT_MAX]; /* a clause: which are there, were made, or are lacking,
					     and why */
};

/*
 * Make those that are lacking: nvidia-modprobe is run, and waited for 10 s at most; where that does
 * not help, root uses mknod().
 */
void nvidia_nodes_make(const struct nvidia_nodes_places *places, struct nvidia_nodes *ret);

#endif
