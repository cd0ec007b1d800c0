/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates the device files of NVIDIA's driver: /dev/nvidiactl, /dev/nvidia-uvm and one for each
 * GPU. After a boot they are missing until the first program that uses CUDA makes them, by mknod()
 * or the setuid program nvidia-modprobe. A worker may do neither, so the kernel process does it
 * before the first worker is forked.
 */
#ifndef CGPU_KERNEL_SANDBOX_NVIDIA_NODES_H
#define CGPU_KERNEL_SANDBOX_NVIDIA_NODES_H

#define NVIDIA_NODES_TEXT_MAX 512 /* 16 cards fit */

/* The places to look in. */
struct nvidia_nodes_places {
	const char *proc;     /* "/proc" */
	const char *dev;      /* "/dev" */
	const char *modprobe; /* "nvidia-modprobe", looked for in PATH */
};

struct nvidia_nodes {
	enum {
		/* This machine has no kernel module of NVIDIA's, and no program that could load
		 * it. */
		NVIDIA_NODES_NO_DRIVER,
		NVIDIA_NODES_THERE,
		NVIDIA_NODES_MADE,
		NVIDIA_NODES_LACKING,
	} outcome;
	/* A clause: which files are there, were made, or are lacking, and why. */
	char text[NVIDIA_NODES_TEXT_MAX];
};

/*
 * Makes the missing files: it runs nvidia-modprobe and waits for it, 10 s at most; where that does
 * not help, root uses mknod().
 */
void nvidia_nodes_make(const struct nvidia_nodes_places *places, struct nvidia_nodes *ret);

#endif
