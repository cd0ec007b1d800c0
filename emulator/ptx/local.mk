# SPDX-License-Identifier: Apache-2.0
# The PTX front end of libmachine.a.
libmachine_a_SOURCES += \
	%reldir%/ptx-allocate.c \
	%reldir%/ptx-chains.c \
	%reldir%/ptx-decode.c %reldir%/ptx-decode.h \
	%reldir%/ptx-decode-alu.c \
	%reldir%/ptx-decode-async.c \
	%reldir%/ptx-decode-control.c \
	%reldir%/ptx-decode-image.c \
	%reldir%/ptx-decode-matrix.c \
	%reldir%/ptx-decode-memory.c \
	%reldir%/ptx-decode-move.c \
	%reldir%/ptx-lines.c %reldir%/ptx-lines.h \
	%reldir%/ptx-code-address.c %reldir%/ptx-code-address.h %reldir%/ptx-module.c %reldir%/ptx-module.h \
	%reldir%/ptx-opcodes.def %reldir%/ptx-ops.h \
	%reldir%/ptx-parse-body.c \
	%reldir%/ptx-peephole.c \
	%reldir%/ptx-parser.c %reldir%/ptx-parser.h \
	%reldir%/ptx-program.h \
	%reldir%/ptx-shared.c %reldir%/ptx-shared.h \
	%reldir%/ptx-syntax.h \
	%reldir%/ptx-turns.c

# make fuzz-ptx: by hand, with clang. Only the front end is instrumented.
fuzz-ptx$(EXEEXT): tests/fuzz/fuzz-ptx.c $(libmachine_a_SOURCES) $(MACHINE_LIBS) libcommon.a
	clang -g -O1 -fsanitize=fuzzer,address -fwrapv -fno-strict-aliasing $(DEFS) -I. -I$(top_srcdir) -o $@ \
		$(top_srcdir)/tests/fuzz/fuzz-ptx.c $(top_srcdir)/emulator/ptx/*.c $(top_srcdir)/common/ptx-lexer.c $(MACHINE_LIBS) libcommon.a \
		-lm -lpthread
CLEANFILES += fuzz-ptx$(EXEEXT)
EXTRA_DIST += tests/fuzz/fuzz-ptx.c tests/fuzz/ptx-seeds
