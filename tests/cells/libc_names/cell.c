#define _GNU_SOURCE
#include <string.h>
int index = 3, y1 = 4;
char link[16] = "abc";
int I = 5;
double gamma(double x) { return 2 * x; }
struct node { struct node *link; int index; } remove_me = { 0, 7 };
static int pipe(int a);
static int pipe(int a) { return a + 1; }
//---
index + y1 + (int)gamma(2) + I + pipe(1) + remove_me.index
//---
int puts(const char *);
puts("libc's own");
strchrnul(link, 'b')
//---
index = "text";
//---
double index = 2.5;
//---
index
