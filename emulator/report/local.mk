# SPDX-License-Identifier: Apache-2.0
libmachine_a_SOURCES += \
	%reldir%/code-image.c %reldir%/code-image.h \
	%reldir%/elf-writer.c %reldir%/elf-writer.h \
	%reldir%/function-name.c %reldir%/function-name.h \
	%reldir%/gpu-fault.c %reldir%/gpu-fault.h \
	%reldir%/gpu-faults.def \
	%reldir%/source-line.c %reldir%/source-line.h
