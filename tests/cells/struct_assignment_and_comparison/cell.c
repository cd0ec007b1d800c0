struct p { int x, y; } a = { 1, 2 }, b;
b = a;
memcmp(&a, &b, sizeof a)
//---
a == b
