#include <stdio.h>
#include <string.h>
#define MAX 10
static int stack[MAX], top;
static void push(int v) { stack[top++] = v; }
static int pop(void) { return stack[--top]; }
int main(int argc, char **argv)
{
	const char *expression = argc > 1 ? argv[1] : "34+5*";
	for (const char *p = expression; *p; p++) {
		if (strchr("+*", *p)) {
			int b = pop(), a = pop();
			push(*p == '+' ? a + b : a * b);
		} else {
			push(*p - '0');
		}
	}
	printf("%d\n", pop());
	return 0;
}
//---
main();
//---
%run 23*4+
