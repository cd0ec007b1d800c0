%%cpp
struct number { int n; };
int twice(number x) { return 2 * x.n; }
twice({ 4 })
//---
%%cpp
struct number { int n; ~number() { } };
number one{ 5 };
//---
%%cpp
twice(one)
//---
twice(one)
