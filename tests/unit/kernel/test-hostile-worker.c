/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of a worker that a cell has made its own: the cell itself writes them to the worker's
 * channel, of every type, with payloads that have the right shape now and then. Whatever becomes of
 * such a cell, the kernel process goes on, and the next cell finds its variables as they were.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/protocol/worker-protocol.h"
#include "tests/unit/kernel/supervisor-harness.h"

#define CELLS 60
#define MESSAGES 40

static struct harness h;

/*
 * Cells: forge(first, n) sends n messages, each made from one number of a xorshift64 sequence: type
 * and length, then fields as records have them, u8, u32, u64, texts with their lengths.
 */
static const char forger[] =
	"#include <fcntl.h>\n"
	"#include <stdio.h>\n"
	"#include <string.h>\n"
	"#include <sys/mman.h>\n"
	"#include <sys/socket.h>\n"
	"#include <unistd.h>\n"
	"int kept[1000];\n"
	"static unsigned long state;\n"
	"static unsigned long below(unsigned long n)\n"
	"{\n"
	"    state ^= state << 13; state ^= state >> 7; state ^= state << 17;\n"
	"    return state % n;\n"
	"}\n"
	"static unsigned put(char *to)\n"
	"{\n"
	"    static const unsigned long numbers[] = { 0, 1, 2, 3, 7, 255, 4096, 65536, 1u << 21,\n"
	"        0x200000000000, 0x300000000000, 0x7fffffff, 0xffffffff, ~0ul, 1ul << 63 };\n"
	"    static const char *const texts[] = { \"\", \"x\", \"kept\", \"In[1]\", "
	"\"/etc/passwd\" };\n"
	"    static const unsigned sizes[] = { 1, 4, 8 };\n"
	"    unsigned long n = numbers[below(15)];\n"
	"    const char *text = texts[below(5)];\n"
	"    unsigned size = sizes[below(3)], len = strlen(text) + 1;\n"
	"    if (below(3)) {\n"
	"        memcpy(to, &n, size);\n"
	"        return size;\n"
	"    }\n"
	"    memcpy(to, &len, 4);\n"
	"    memcpy(to + 4, text, len);\n"
	"    return 4 + len;\n"
	"}\n"
	"static void send_one(unsigned type, const char *payload, unsigned len)\n"
	"{\n"
	"    union { struct cmsghdr align; char bytes[CMSG_SPACE(sizeof(int))]; } control = { 0 "
	"};\n"
	"    unsigned head[2] = { type, below(8) ? len : below(1u << 31) };\n"
	"    struct iovec iov[2] = { { head, 8 }, { (void *)payload, len } };\n"
	"    struct msghdr m = { .msg_iov = iov, .msg_iovlen = 2 };\n"
	"    int fd = memfd_create(\"forged\", 0);\n"
	"    ftruncate(fd, below(2) << 21);\n"
	"    if (below(2)) {\n"
	"        m.msg_control = control.bytes;\n"
	"        m.msg_controllen = sizeof(control.bytes);\n"
	"        control.align = (struct cmsghdr){ CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS "
	"};\n"
	"        memcpy(CMSG_DATA(&control.align), &fd, sizeof(fd));\n"
	"    }\n"
	"    sendmsg(CHANNEL, &m, MSG_NOSIGNAL);\n"
	"    close(fd);\n"
	"}\n"
	"void forge(unsigned long first, int n, unsigned type)\n"
	"{\n"
	"    char payload[4096];\n"
	"    for (state = first; n; n--) {\n"
	"        unsigned len = 0;\n"
	"        for (unsigned fields = below(12); fields; fields--)\n"
	"            len += put(payload + len);\n"
	"        send_one(type ? type : 1 + below(80), payload, len);\n"
	"    }\n"
	"}\n";

static int start(void **state)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	(void)state;
	harness_start(&h, NULL, 0);
	buffer_printf(&text, "#define CHANNEL %d\n%s", WORKER_CHANNEL_FD, forger);
	harness_ok(&h, buffer_text(&text));
	harness_ok(&h, "for (int i = 0; i < 1000; i++) kept[i] = i * 3;");
	return 0;
}

static int stop(void **state)
{
	(void)state;
	harness_stop(&h);
	return 0;
}

static void forge(unsigned long first, int messages, unsigned type)
{
	char text[80];

	snprintf(text, sizeof(text), "forge(%luul, %d, %u);", first, messages, type);
	harness_run(&h, text);
	assert_true(h.last.ended);
	assert_string_equal(harness_ok(&h, "int wrong = 0; for (int i = 0; i < 1000; i++)"
					   " wrong += kept[i] != i * 3; printf(\"%d\", wrong);"),
			    "0");
}

static void messages_of_every_type_at_random(void **state)
{
	(void)state;
	for (unsigned long cell = 1; cell <= CELLS; cell++)
		forge(cell * 0x9e3779b97f4a7c15ul, MESSAGES, 0);
}

/* One that ends the cell hides those that would come behind it. */
static void messages_of_each_type(void **state)
{
	(void)state;
	for (unsigned type = 1; type <= 80; type++)
		forge(type * 0x9e3779b97f4a7c15ul, 8, type);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_of_every_type_at_random),
		cmocka_unit_test(messages_of_each_type),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
