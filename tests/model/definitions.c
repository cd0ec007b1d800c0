/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First cell of each round of the model-based test: the state that cells change, and show(), which
 * prints all of it as "name=value" words that tests/model/state.py makes too. Addresses are part of
 * it.
 */
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCKS 24
#define WORDS 6
#define BUFFERS 6
#define VARIABLES 8
#define FUNCTIONS 4
#define ON_DEVICE 5000

struct piece {
	unsigned char *at;
	uint32_t size;
};
struct node {
	int32_t value;
	struct node *next;
};
struct leaf {
	int32_t key, count;
	struct leaf *left, *right;
};
struct variable {
	const void *at;
	uint32_t size;
};

struct piece blocks[BLOCKS];
struct piece buffers[BUFFERS];
struct node *list;
struct leaf *tree;
char *words[WORDS];
struct variable variables[VARIABLES];
int32_t answers[FUNCTIONS];
int32_t ticks;
__device__ unsigned char on_device[ON_DEVICE];
static unsigned char bounce[1 << 20];

/* Adler-32, as zlib has it. */
uint32_t digest(const void *at, size_t n)
{
	const unsigned char *p = (const unsigned char *)at;
	uint32_t a = 1, b = 0;

	while (n) {
		size_t part = n < 5552 ? n : 5552;

		n -= part;
		while (part--) {
			a += *p++;
			b += a;
		}
		a %= 65521;
		b %= 65521;
	}
	return b << 16 | a;
}

void pattern(unsigned char *p, size_t n, unsigned from)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)((i + from) % 251 * 37 + 11);
}

/* ---- the device ---- */

__global__ void add(unsigned char *p, unsigned n, unsigned char k)
{
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		p[i] += k;
}

/* Launches by device code: nobody can tell before the launch where these write. */
__global__ void add_by_another(unsigned char *p, unsigned n, unsigned char k)
{
	add<<<2, 64>>>(p, n, k);
}

__global__ void add_at(unsigned char *p, long distance, unsigned n, unsigned char k)
{
	for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
		p[distance + i] += k;
}

__global__ void add_variable(unsigned from, unsigned n, unsigned char k)
{
	for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
		on_device[from + i] += k;
}

__global__ void read_variable(unsigned char *out)
{
	for (unsigned i = threadIdx.x; i < ON_DEVICE; i += blockDim.x)
		out[i] = on_device[i];
}

__global__ void store(int *p)
{
	*p = 1;
}

__global__ void spin(volatile int *p)
{
	while (*p != 12345)
		;
}

__global__ void trap(void)
{
	asm("trap;");
}

/* ---- linked structures ---- */

void push(int32_t value)
{
	struct node *n = malloc(sizeof(*n));

	n->value = value;
	n->next = list;
	list = n;
}

void cut(int position)
{
	struct node **at = &list, *gone;

	while (position-- && *at)
		at = &(*at)->next;
	gone = *at;
	if (gone) {
		*at = gone->next;
		free(gone);
	}
}

void reverse(void)
{
	struct node *done = NULL;

	while (list) {
		struct node *n = list;

		list = n->next;
		n->next = done;
		done = n;
	}
	list = done;
}

void plant(int32_t key)
{
	struct leaf **at = &tree;

	while (*at && (*at)->key != key)
		at = key < (*at)->key ? &(*at)->left : &(*at)->right;
	if (!*at) {
		*at = calloc(1, sizeof(**at));
		(*at)->key = key;
	}
	(*at)->count++;
}

void fell(struct leaf *l)
{
	if (!l)
		return;
	fell(l->left);
	fell(l->right);
	free(l);
}

/* ---- functions that cells replace, and their callers, which stay ---- */

int32_t f0(int32_t x)
{
	return x;
}
int32_t f1(int32_t x)
{
	return x;
}
int32_t f2(int32_t x)
{
	return x;
}
int32_t f3(int32_t x)
{
	return x;
}
int32_t ask(int which, int32_t x)
{
	switch (which) {
	case 0:
		return f0(x) + 1;
	case 1:
		return f1(x) + 1;
	case 2:
		return f2(x) + 1;
	default:
		return f3(x) + 1;
	}
}

int32_t tick(void)
{
	static int32_t n;

	return ++n;
}

/* ---- helpers of faults ---- */

volatile int32_t zero;
jmp_buf back;

int32_t deep(int32_t n)
{
	volatile char room[4096];

	room[0] = (char)n;
	return n ? deep(n + 1) + room[0] : 0;
}

/* volatile: a block that nobody uses is no block to an optimiser. */
void churn(int n, size_t size)
{
	while (n--) {
		char *volatile p = malloc(size), *volatile q = strdup("x");

		free(p);
		free(q);
	}
}

void free_twice(void)
{
	char *volatile p = malloc(40);

	free(p);
	free(p);
}

void fill_memory(void)
{
	for (;;) {
		char *volatile p = malloc(1 << 22);

		memset(p, 1, 1 << 22);
	}
}

/* What runs until it is interrupted or killed. */
void wait_for_it(void)
{
	printf("%d ready\n", (int)getpid());
	fflush(stdout);
	for (volatile uint64_t i = 0;; i++)
		;
}

void churn_for_ever(void)
{
	printf("%d ready\n", (int)getpid());
	fflush(stdout);
	for (uint32_t i = 1;; i = i * 1103515245 + 12345)
		churn(1, i % 70000);
}

/* ---- everything ---- */

uint32_t show_leaf(const struct leaf *l, uint32_t h)
{
	if (!l)
		return h;
	h = show_leaf(l->left, h);
	h = (h ^ (uint32_t)l->key) * 16777619u;
	h = (h ^ (uint32_t)l->count) * 16777619u;
	return show_leaf(l->right, h);
}

void show_list(void)
{
	uint32_t h = 2166136261u, n = 0;
	uintptr_t where = 0;

	for (const struct node *i = list; i; i = i->next, n++) {
		h = (h ^ (uint32_t)i->value) * 16777619u;
		where = where * 31 + (uintptr_t)i;
	}
	printf("list=%u:%08x@%lx ", n, h, (unsigned long)where);
}

void show(void)
{
	static unsigned char *out;

	for (int i = 0; i < BLOCKS; i++)
		if (blocks[i].at)
			printf("b%d=%u:%08x@%p ", i, blocks[i].size,
			       digest(blocks[i].at, blocks[i].size), blocks[i].at);
	for (int i = 0; i < BUFFERS; i++) {
		if (!buffers[i].at)
			continue;
		cudaMemcpy(bounce, buffers[i].at, buffers[i].size, cudaMemcpyDeviceToHost);
		printf("d%d=%u:%08x@%p ", i, buffers[i].size, digest(bounce, buffers[i].size),
		       buffers[i].at);
	}
	show_list();
	show_objects();
	printf("tree=%08x@%p ", show_leaf(tree, 2166136261u), tree);
	for (int i = 0; i < WORDS; i++)
		if (words[i])
			printf("w%d=%zu:%08x@%p ", i, strlen(words[i]),
			       digest(words[i], strlen(words[i])), words[i]);
	for (int i = 0; i < VARIABLES; i++)
		if (variables[i].at)
			printf("v%d=%u:%08x@%p ", i, variables[i].size,
			       digest(variables[i].at, variables[i].size), variables[i].at);
	for (int i = 0; i < FUNCTIONS; i++)
		printf("a%d=%d:%d@%d ", i, answers[i], ask(i, 1000), i);
	if (!out)
		cudaMalloc(&out, ON_DEVICE);
	read_variable<<<1, 64>>>(out);
	cudaMemcpy(bounce, out, ON_DEVICE, cudaMemcpyDeviceToHost);
	printf("device=%08x@%p ticks=%d@0\n", digest(bounce, ON_DEVICE), (void *)out, ticks);
	fflush(stdout);
}
