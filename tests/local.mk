# SPDX-License-Identifier: Apache-2.0
# The unit tests alone: the programs they need are built, nothing else. `make check` builds everything first.
check-units: $(BUILT_SOURCES) $(check_PROGRAMS) $(check_LIBRARIES)
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS

.PHONY: check-units
