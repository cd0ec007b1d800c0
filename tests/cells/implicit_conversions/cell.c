double d = 3.99; int i = d; unsigned u = -1; float f = 1 / 2; char c = d + 62;
i * 10 + (u == UINT_MAX) + f
//---
c
