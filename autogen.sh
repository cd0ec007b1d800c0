#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes configure from configure.ac, and sources.mk: a variable for each room, kernel/state as kernel_state_sources, with all
# sources in it. The sources of C++ of a room are compiled as one, room.cc, which make writes: of the 12 seconds that one takes
# alone, 9 are for the headers of clang. `autogen.sh sources` makes that file only; make calls it when a room's folder has
# changed.
set -e
cd "$(dirname "$0")"

rooms() {
	find common compiler emulator kernel runtime -name '*.c' -o -name '*.cc' | sed 's,/[^/]*$,,' | LC_ALL=C sort -u
}

cpp_sources() {
	find common compiler emulator kernel runtime -name '*.cc' ! -name room.cc
}

# Prints the lines of its input as the value of a variable of make.
list() {
	LC_ALL=C sort -u | sed "s,^, \\\\\n\t$1," | tr -d '\n' | sed 's,\\,\\\n,g'
	echo
}

sources() {
	echo "# Made by autogen.sh."
	for room in $(rooms); do
		printf '%s_sources =' "$(echo "$room" | tr '/-' '__')"
		find "$room" -maxdepth 1 -name '*.[ch]' -o -maxdepth 1 -name '*.hh' -o -maxdepth 1 -name '*.def' | list
	done
	printf 'room_folders ='
	rooms | list '$(top_srcdir)/'
	printf 'cpp_sources ='
	cpp_sources | list
	printf 'cpp_rooms ='
	cpp_sources | sed 's,[^/]*$,room.cc,' | list
	printf 'cpp_objects ='
	cpp_sources | sed 's,[^/]*$,libcompiler_a-room.$(OBJEXT),' | list '$(CPP_TREE)/'
}

new=sources.mk.$$ # several makes may call this at once
sources >"$new"
if cmp -s "$new" sources.mk; then
	rm "$new"
else
	mv "$new" sources.mk
fi
[ "$1" = sources ] && exit
mkdir -p build-aux
exec autoreconf --install --force --warnings=all
