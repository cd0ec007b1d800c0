# SPDX-License-Identifier: Apache-2.0
libcgpu_emulator_so_SOURCES += \
	%reldir%/cu-attribute.c \
	%reldir%/cu-context.c \
	%reldir%/cu-coredump.c \
	%reldir%/cu-device-attributes.def \
	%reldir%/cu-device.c \
	%reldir%/cu-error.c \
	%reldir%/cu-errors.def \
	%reldir%/cu-export.c \
	%reldir%/cu-older-launch.c \
	%reldir%/cu-older.c %reldir%/cu-older.h \
	%reldir%/cu-per-thread.c %reldir%/cu-per-thread.def %reldir%/cu-per-thread.h \
	%reldir%/cu-proc.c \
	%reldir%/cu-profiler.c %reldir%/cu-profiler.h \
	%reldir%/cu-unsupported.c %reldir%/cu-unsupported.def %reldir%/cu-unsupported.h \
	%reldir%/driver-api.def

EMULATOR_TESTS += test-cu-driver
test_cu_driver_SOURCES = tests/unit/test-cu-driver.c tests/unit/emulator.h
test_cu_driver_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CUDA_CPPFLAGS) $(SANITIZE_CFLAGS)
test_cu_driver_LDADD = $(CMOCKA_LIBS)
