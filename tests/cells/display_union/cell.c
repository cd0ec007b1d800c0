union u { int i; float f; } u = { .f = 1.0f };
u
