# SPDX-License-Identifier: Apache-2.0
libcgpu_emulator_so_SOURCES += \
	%reldir%/cu-batch.c \
	%reldir%/cu-copy.c \
	%reldir%/cu-fill.c \
	%reldir%/cu-pool-stream.c
