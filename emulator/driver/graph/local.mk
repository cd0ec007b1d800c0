# SPDX-License-Identifier: Apache-2.0
libcgpu_emulator_so_SOURCES += \
	%reldir%/graph-condition.c %reldir%/graph-condition.h \
	%reldir%/graph-content.c %reldir%/graph-content.h \
	%reldir%/graph-edit.c \
	%reldir%/graph-object.c %reldir%/graph-object.h \
	%reldir%/graph-order.c \
	%reldir%/graph.c %reldir%/graph.h
