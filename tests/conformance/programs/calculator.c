/* SPDX-License-Identifier: Apache-2.0 */
/* A parser by recursive descent: mutual recursion, setjmp, exit() from inside, old definitions. */
#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static const char *at;
static jmp_buf wrong;

double sum(void);

double value()
{
	char *end;
	double v;

	if (*at == '(') {
		at++;
		v = sum();
		if (*at++ != ')')
			longjmp(wrong, 1);
		return v;
	}
	v = strtod(at, &end);
	if (end == at)
		longjmp(wrong, 2);
	at = end;
	return v;
}

double product(void)
{
	double v = value();

	while (*at == '*' || *at == '/')
		v = *at++ == '*' ? v * value() : v / value();
	return v;
}

double sum(void)
{
	double v = product();

	while (*at == '+' || *at == '-')
		v = *at++ == '+' ? v + product() : v - product();
	return v;
}

int evaluate(text, ret)
	const char *text;
	double *ret;
{
	int why;

	at = text;
	if ((why = setjmp(wrong)))
		return why;
	*ret = sum();
	return *at ? 3 : 0;
}

int main(int argc, char **argv)
{
	static const char *const texts[] = { "1+2*3", "(1+2)*3", "8/4/2", "2*(3", "+", "1 2" };
	double v = 0;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		int why = evaluate(texts[i], &v);

		if (why)
			printf("%s: problem %d\n", texts[i], why);
		else
			printf("%s = %g\n", texts[i], v);
	}
	exit(argc > 1);
}
