union u { int i; float f; } u = { 3 };
u.i
//---
union u w = { .f = 1.0f };
w.i == 0x3f800000
