/* SPDX-License-Identifier: Apache-2.0 */
/* The preprocessor at the level of items: tables, makers of functions, branches in declarations. */
#include <stdio.h>
#include <string.h>

#define SHAPES       \
	SHAPE(POINT, 0)  \
	SHAPE(LINE, 2)   \
	SHAPE(SQUARE, 4)

enum shape {
#define SHAPE(name, sides) name,
	SHAPES
#undef SHAPE
	N_SHAPES
};

static const char *const names[] = {
#define SHAPE(name, sides) #name,
	SHAPES
#undef SHAPE
};

static const int sides[N_SHAPES] =
#ifdef NO_SIDES
{ 0 };
#else
{
#define SHAPE(name, n) [name] = n,
	SHAPES
#undef SHAPE
};
#endif

#define MAXIMUM(type, suffix)                        \
	static type maximum_##suffix(type a, type b) \
	{                                            \
		return a > b ? a : b;                \
	}
MAXIMUM(int, i)
MAXIMUM(double, d)

#if defined(WITH_ARGUMENTS) && \
	defined(NEVER)
int main(int argc, char **argv)
{
#else
int main(void)
{
#endif
	for (int i = 0; i < N_SHAPES; i++)
		printf("%s has %d sides\n", names[i], sides[i]);
	printf("%d %.1f\n", maximum_i(sides[LINE], sides[SQUARE]), maximum_d(1.5, 0.5));
	return strcmp(names[SQUARE], "SQUARE");
}
