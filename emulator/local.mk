# SPDX-License-Identifier: Apache-2.0
# libcgpu-emulator.so: driver/ is the CUDA driver API, machine/ and ptx/ run device code. It is dlopen-ed, so it is built
# like a program that happens to be shared, without libtool.
pkglibexec_PROGRAMS += libcgpu-emulator.so
libcgpu_emulator_so_SOURCES =
libcgpu_emulator_so_CFLAGS = $(AM_CFLAGS) -fPIC $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS) -pthread
libcgpu_emulator_so_LDFLAGS = -shared -Wl,-soname,libcgpu-emulator.so -pthread
libcgpu_emulator_so_LDADD =

include emulator/driver/local.mk
include emulator/machine/local.mk
include emulator/ptx/local.mk

libcgpu_emulator_so_LDADD += $(MACHINE_LIBS) libcommon.a -lm
