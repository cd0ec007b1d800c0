# SPDX-License-Identifier: Apache-2.0
libcgpu_emulator_so_SOURCES += \
	%reldir%/check.c %reldir%/check.h \
	%reldir%/cu-busy.c %reldir%/cu-busy.h \
	%reldir%/cu-launch.c
