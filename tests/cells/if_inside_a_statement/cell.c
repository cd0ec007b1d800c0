int x = 2;
x +=
#ifdef MORE
	100 +
#endif
	1;
x
