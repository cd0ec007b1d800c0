# SPDX-License-Identifier: Apache-2.0
# The PTX front end of libmachine.a.
libmachine_a_SOURCES += \
	%reldir%/ptx-allocate.c \
	%reldir%/ptx-decode.c %reldir%/ptx-decode.h \
	%reldir%/ptx-decode-alu.c \
	%reldir%/ptx-decode-async.c \
	%reldir%/ptx-decode-control.c \
	%reldir%/ptx-decode-image.c \
	%reldir%/ptx-decode-matrix.c \
	%reldir%/ptx-decode-memory.c \
	%reldir%/ptx-decode-move.c \
	%reldir%/ptx-lexer.c %reldir%/ptx-lexer.h \
	%reldir%/ptx-lines.c %reldir%/ptx-lines.h \
	%reldir%/ptx-module.c %reldir%/ptx-module.h \
	%reldir%/ptx-opcodes.def %reldir%/ptx-ops.h \
	%reldir%/ptx-parse-body.c \
	%reldir%/ptx-parser.c %reldir%/ptx-parser.h \
	%reldir%/ptx-program.h %reldir%/ptx-syntax.h
