int step(int i)
{
	static const void *where[] = { &&two, &&three };

	goto *where[i];
two:
	return 2;
three:
	return 3;
}
//---
step(0) + 10 * step(1)
