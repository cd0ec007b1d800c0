# SPDX-License-Identifier: Apache-2.0
libmachine_a_SOURCES += $(emulator_syscall_sources)
