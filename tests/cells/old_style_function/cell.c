int add(a, b)
	int a;
	double b;
{
	return a + (int)b;
}
add(1, 2.5)
