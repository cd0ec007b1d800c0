# SPDX-License-Identifier: Apache-2.0
libcgpu_emulator_so_SOURCES += \
	%reldir%/cu-capture.c %reldir%/cu-capture.h \
	%reldir%/graph-condition.c %reldir%/graph-condition.h \
	%reldir%/graph-content.c %reldir%/graph-content.h \
	%reldir%/graph-memory.c %reldir%/graph-memory.h \
	%reldir%/graph-object.c %reldir%/graph-object.h \
	%reldir%/graph.c %reldir%/graph.h
