static jmp_buf env;
int safe_div(int a, int b)
{
	if (setjmp(env)) return -1;
	if (b == 0) longjmp(env, 1);
	return a / b;
}
safe_div(6, 2) * 10 + safe_div(1, 0)
