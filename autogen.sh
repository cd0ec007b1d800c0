#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes configure from configure.ac, and sources.mk: a variable for each room, kernel/state as kernel_state_sources, with all
# sources in it. `autogen.sh sources` makes that file only; make calls it when a room's folder has changed.
set -e
cd "$(dirname "$0")"

rooms() {
	find common compiler emulator kernel runtime -name '*.c' -o -name '*.cc' | sed 's,/[^/]*$,,' | LC_ALL=C sort -u
}

sources() {
	echo "# Made by autogen.sh."
	for room in $(rooms); do
		printf '%s_sources =' "$(echo "$room" | tr '/-' '__')"
		find "$room" -maxdepth 1 -name '*.[ch]' -o -maxdepth 1 -name '*.cc' -o -maxdepth 1 -name '*.hh' \
			-o -maxdepth 1 -name '*.def' | LC_ALL=C sort | sed 's,^, \\\n\t,' | tr -d '\n' | sed 's,\\,\\\n,g'
		echo
	done
	printf 'room_folders ='
	rooms | sed 's,^, \\\n\t$(top_srcdir)/,' | tr -d '\n' | sed 's,\\,\\\n,g'
	echo
}

sources >sources.mk.new
if cmp -s sources.mk.new sources.mk; then
	rm sources.mk.new
else
	mv sources.mk.new sources.mk
fi
[ "$1" = sources ] && exit
mkdir -p build-aux
exec autoreconf --install --force --warnings=all
