const int limit = 3;
auto twice = [](int x) { return 2 * x; };
limit = 4;
//---
%%cpp
const char *s = "text";
s[0] = 'T';
//---
%%cpp
int n = 1;
const int *p = &n;
*p = 2;
//---
%%cpp
char *text = "literal";
