/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that is taken for a GPU's: all of it is the emulated one, which it is linked to. */
extern int played_gpu;
int played_gpu = 1;
