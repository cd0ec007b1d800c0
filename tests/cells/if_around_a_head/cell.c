#ifdef SHORT
int f(int a) {
#else
int f(int a, int b) {
	a += b;
#endif
	return a;
}
f(1, 2)
