/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a cell, before any compiler sees it: magics, and where the cursor is in them. */
#include "kernel/magics/magic-script.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "tests/fuzz/fuzz.h"

static bool one(const uint8_t *data, size_t size)
{
	cleanup_buffer struct buffer cell = BUFFER_INIT;
	struct magic_script s;
	struct magic_place place;
	size_t start, len;
	bool taken;

	buffer_append(&cell, data, size);
	buffer_putc(&cell, '\0');
	len = strlen(cell.data);
	taken = !magic_script_parse(&s, cell.data, NULL);
	if (taken)
		magic_script_release(&s);
	free(magic_blank(cell.data));
	magic_wants_more(cell.data);
	for (size_t at = 0; at <= len; at += 1 + len / 16) {
		magic_name_at(cell.data, at, &start);
		if (magic_place_at(cell.data, at, &place) &&
		    (place.args > place.start || place.start > at))
			abort();
	}
	return taken;
}

static bool seed(unsigned i, struct buffer *to)
{
	static const char *const cells[] = {
		"int x = 1;\n%time x++\nx",
		"%%cpp\n#include <vector>\nstd::vector<int> v;",
		"%limit ram 300M\n%limit gpu 1G\n%limit time 60s",
		"!ls -l | head\n!!make",
		"%%writefile a/b.h\n#define A 1\n\n%not a magic",
		"%env NAME=a value\n%cd /tmp\n%pkg zlib\n%cflags -O2",
		"x?\n",
		"%snapshot save one\n%snapshot load one",
		"?counter\n??f\ng?",
		"%%bash\ncat a b | grep \"c d\"\n",
		"%%memcheck\nint *p = malloc(4);\np[1] = 2;",
		"%run a \"b c\" 'd' \\e\nint main(void) { return 0; }"
	};

	if (i >= sizeof(cells) / sizeof(cells[0]))
		return false;
	buffer_puts(to, cells[i]);
	return true;
}

const struct fuzz_target fuzz_magic = { one, seed, 15000 };
