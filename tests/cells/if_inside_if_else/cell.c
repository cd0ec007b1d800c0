int x = 1;
if (x)
#ifdef LOUD
	puts("LOUD");
#else
	puts("quiet");
#endif
else
	puts("zero");
