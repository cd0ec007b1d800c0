# SPDX-License-Identifier: Apache-2.0
# cgpu-hot.so, the compiler of hot device code. It is loaded when something is hot, and LLVM with it.
pkglibexec_PROGRAMS += cgpu-hot.so
cgpu_hot_so_SOURCES = \
	%reldir%/hot-block.c %reldir%/hot-block.h \
	%reldir%/hot-blocks.c %reldir%/hot-blocks.h \
	%reldir%/hot-compiler.c %reldir%/hot-compiler.h \
	%reldir%/hot-library.c %reldir%/hot-library.h \
	%reldir%/hot-memory.c %reldir%/hot-memory.h \
	%reldir%/hot-rows.c %reldir%/hot-rows.h

# When a program is compiled is the machine's own affair.
libmachine_a_SOURCES += %reldir%/hot.c %reldir%/hot.h

cgpu_hot_so_CPPFLAGS = $(AM_CPPFLAGS) $(LLVM_CPPFLAGS) -DHOT_LANES='"%reldir%/hot-lanes.bc"'
cgpu_hot_so_CFLAGS = $(AM_CFLAGS) -fPIC -fvisibility=hidden $(SANITIZE_CFLAGS) -pthread
cgpu_hot_so_LDFLAGS = -shared -Wl,-soname,cgpu-hot.so -Wl,-rpath,$(LLVM_LIBDIR) -pthread
cgpu_hot_so_LDADD = libcommon.a $(LLVM_C_LIBS)

# The semantics of ptx-opcodes.def as bitcode, for no instruction set in particular.
HOT_LANES_INPUTS = %reldir%/hot-lanes.c emulator/warp/exec.h emulator/warp/lane-math.h \
	emulator/ptx/machine-limits.h emulator/ptx/ptx-opcodes.def emulator/ptx/ptx-ops.h \
	emulator/ptx/ptx-program.h emulator/warp/warp.h
%reldir%/hot-lanes.bc: $(HOT_LANES_INPUTS)
	$(AM_V_GEN)$(MKDIR_P) %reldir% && $(LLVM_CLANG) $(DEFS) -I. -I$(top_srcdir) -std=gnu17 -O2 -fwrapv \
		-fno-strict-aliasing -fno-math-errno -fno-trapping-math -ffp-contract=off -fno-builtin -fno-slp-vectorize \
		-Wno-pass-failed -c -emit-llvm -o $@ $(top_srcdir)/%reldir%/hot-lanes.c
%reldir%/cgpu_hot_so-hot-library.$(OBJEXT): %reldir%/hot-lanes.bc
EXTRA_DIST += %reldir%/hot-lanes.c
CLEANFILES += %reldir%/hot-lanes.bc

check_PROGRAMS += test-hot test-hot-random
TESTS += test-hot-random
test_hot_SOURCES = tests/unit/emulator/test-hot.c tests/unit/emulator/machine.h
test_hot_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS) -pthread
test_hot_LDADD = $(MACHINE_LIBS) libcommon.a $(CMOCKA_LIBS) -lm
test_hot_DEPENDENCIES = $(MACHINE_LIBS) libcommon.a cgpu-hot.so
test_hot_random_SOURCES = tests/unit/emulator/test-hot-random.c tests/unit/emulator/machine.h
test_hot_random_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS) -pthread
test_hot_random_LDADD = $(MACHINE_LIBS) libcommon.a $(CMOCKA_LIBS) -lm
test_hot_random_DEPENDENCIES = $(MACHINE_LIBS) libcommon.a cgpu-hot.so
