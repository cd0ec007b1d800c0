/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder that stands in for /dev: with the devices that every program may use and those of GPUs,
 * and without disks, kernel memory and consoles, which root's processes could write although all
 * mounts are read-only.
 */
#ifndef CGPU_KERNEL_SANDBOX_PRIVATE_DEVICES_H
#define CGPU_KERNEL_SANDBOX_PRIVATE_DEVICES_H

struct error;

/* Mounts the devices of private-devices.def and a devpts of its own below the folder, which is
 * empty. In a mount namespace of the caller's own, while /dev is the machine's. */
int private_devices_mount(const char *folder, struct error *err);

#endif
