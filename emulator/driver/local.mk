# SPDX-License-Identifier: Apache-2.0
# The CUDA driver API, in rooms of their own.
EMULATOR_TESTS =
include emulator/driver/device/local.mk
include emulator/driver/memory/local.mk
include emulator/driver/module/local.mk
include emulator/driver/graph/local.mk
include emulator/driver/stream/local.mk
include emulator/driver/copy/local.mk
include emulator/driver/launch/local.mk
include emulator/driver/graph-run/local.mk
include emulator/driver/api/local.mk
check_PROGRAMS += $(EMULATOR_TESTS)
TESTS += $(EMULATOR_TESTS)
