jmp_buf back;
void deep(int n) { if (n == 3) longjmp(back, n); deep(n + 1); }
int r = setjmp(back);
if (!r) deep(0);
r
