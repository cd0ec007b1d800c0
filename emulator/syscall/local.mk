# SPDX-License-Identifier: Apache-2.0
libmachine_a_SOURCES += \
	%reldir%/device-launch.c %reldir%/device-launch.h \
	%reldir%/syscall.c %reldir%/syscall.h \
	%reldir%/syscall-argument.c %reldir%/syscall-argument.h
