struct text { int n; char c[]; };
struct text t = { 3, "abc" };
//---
puts(t.c); struct text t = { 3, "xyz" };
puts(t.c);
//---
const int n = 3;
//---
puts("n"); const int n = 4; int a[n];
sizeof a / sizeof *a
//---
puts("large"); int large[100000] = { [99999] = 1 };
large[99999]
//---
large[99999] = 2; int large[100000] = { [99998] = 3 };
large[99998] * 10 + large[99999]
//---
__attribute__((section("mine"))) int s1 = 1;
__attribute__((section("mine"))) int s2 = 2;
//---
s1 = 8; s2 = 9;
__attribute__((section("mine"))) int s1 = 3;
printf("%d %d\n", s1, s2);
__attribute__((section("mine"))) int s2 = 4;
printf("%d %d\n", s1, s2);
