# SPDX-License-Identifier: Apache-2.0
libmachine_a_SOURCES += $(emulator_debug_sources)

check_PROGRAMS += test-device-debugger
TESTS += test-device-debugger
test_device_debugger_SOURCES = tests/unit/emulator/test-device-debugger.c tests/unit/emulator/debugger-ptx.h \
	tests/unit/emulator/machine.h tests/unit/emulator.h
test_device_debugger_CFLAGS = $(MACHINE_TEST_CFLAGS) $(CUDA_CPPFLAGS)
test_device_debugger_LDADD = $(MACHINE_TEST_LIBS) -ldl
EXTRA_test_device_debugger_DEPENDENCIES = libcgpu-emulator.so
