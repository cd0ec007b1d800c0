# SPDX-License-Identifier: Apache-2.0
# libcgpu-emulator.so: driver/ is the CUDA driver API, the other rooms run device code. It is dlopen-ed, so it is built
# like a program that happens to be shared, without libtool. Under the name of NVIDIA's driver it stands in a folder of its
# own, for LD_LIBRARY_PATH, and beside it the CUDA runtime.
pkglibexec_PROGRAMS += libcgpu-emulator.so
emulator_library = libcgpu-emulator.so
libcgpu_emulator_so_SOURCES =
libcgpu_emulator_so_CFLAGS = $(AM_CFLAGS) -fPIC $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS) $(ZSTD_CFLAGS) $(LZ4_CFLAGS) -pthread
libcgpu_emulator_so_LDFLAGS = -shared -Wl,-soname,libcgpu-emulator.so -Wl,-Bsymbolic -pthread
libcgpu_emulator_so_LDADD =

# libmachine.a runs PTX.
noinst_LIBRARIES += libmachine.a libmachine-baseline.a
MACHINE_LIBS = libmachine.a libmachine-baseline.a
MACHINE_CFLAGS = $(AM_CFLAGS) -fPIC $(SANITIZE_CFLAGS) -fwrapv -fno-strict-aliasing -fno-math-errno \
	-fno-trapping-math -ffp-contract=off -pthread
VECTOR_CFLAGS = $(MACHINE_CFLAGS) -ftree-vectorize $(VECTOR_COST_CFLAGS)
libmachine_a_SOURCES =
libmachine_a_CFLAGS = $(MACHINE_CFLAGS)
MACHINE_TEST_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SANITIZE_CFLAGS) -pthread
MACHINE_TEST_LIBS = $(MACHINE_LIBS) libcommon.a $(CMOCKA_LIBS) -lm

include emulator/ptx/local.mk
include emulator/decode/local.mk
include emulator/report/local.mk
include emulator/warp/local.mk
include emulator/memory/local.mk
include emulator/syscall/local.mk
include emulator/exec/local.mk
include emulator/hot/local.mk
include emulator/launch/local.mk
include emulator/check/local.mk
include emulator/profile/local.mk
include emulator/debug/local.mk
include emulator/driver/local.mk

libcgpu_emulator_so_LDADD += $(MACHINE_LIBS) libcommon.a $(ZSTD_LIBS) $(LZ4_LIBS) -lm

emulated_driver_dir = $(pkglibexecdir)/emulated-driver

# The names that programs are linked with, too: the pip wheels of CUDA bring none.
emulated_driver_links = libcuda.so libcuda.so.1 libcudart.so libcudart.so.13

install-exec-hook: install-emulated-driver
install-emulated-driver:
	$(MKDIR_P) "$(DESTDIR)$(emulated_driver_dir)"
	cd "$(DESTDIR)$(emulated_driver_dir)" && rm -f $(emulated_driver_links) && \
		$(LN_S) ../libcgpu-emulator.so libcuda.so.1 && $(LN_S) libcuda.so.1 libcuda.so && \
		$(LN_S) ../libcgpu-cudart.so libcudart.so.13 && $(LN_S) libcudart.so.13 libcudart.so

uninstall-hook: uninstall-emulated-driver
uninstall-emulated-driver:
	cd "$(DESTDIR)$(emulated_driver_dir)" && rm -f $(emulated_driver_links)
	-rmdir "$(DESTDIR)$(emulated_driver_dir)"

.PHONY: install-emulated-driver uninstall-emulated-driver

# make bench-emulator: the shapes of benchmarks/emulator/ beside pocl, which is needed for nothing else. The program stands
# beside the compiler of hot code, where the machine looks for that.
EXTRA_PROGRAMS += against-pocl
against_pocl_SOURCES = \
	benchmarks/emulator/against-pocl.c \
	benchmarks/emulator/machine-side.c \
	benchmarks/emulator/pocl-side.c \
	benchmarks/emulator/shapes.c benchmarks/emulator/shapes.h
nodist_EXTRA_against_pocl_SOURCES = linked-by-c++.cc
against_pocl_LDFLAGS = $(cgpu_compiler_LDFLAGS)
against_pocl_LDADD = $(MACHINE_LIBS) $(COMPILER_LIBS) -lOpenCL
against_pocl_DEPENDENCIES = $(MACHINE_LIBS) libcompiler.a libcommon.a cgpu-hot.so

bench-emulator: against-pocl$(EXEEXT)
	CGPU_PRELUDE=compiler/include ./against-pocl$(EXEEXT) $(top_srcdir)/benchmarks/emulator

# make bench-checks: what checks cost.
EXTRA_PROGRAMS += benchmarks/emulator/check-cost
benchmarks_emulator_check_cost_SOURCES = \
	benchmarks/emulator/check-cost.c \
	benchmarks/emulator/machine-side.c \
	benchmarks/emulator/shapes.c benchmarks/emulator/shapes.h
nodist_EXTRA_benchmarks_emulator_check_cost_SOURCES = linked-by-c++.cc
benchmarks_emulator_check_cost_LDFLAGS = $(cgpu_compiler_LDFLAGS)
benchmarks_emulator_check_cost_LDADD = $(MACHINE_LIBS) $(COMPILER_LIBS)

bench-checks: benchmarks/emulator/check-cost$(EXEEXT)
	CGPU_PRELUDE=compiler/include benchmarks/emulator/check-cost$(EXEEXT) $(top_srcdir)/benchmarks/emulator

.PHONY: bench-checks bench-emulator
