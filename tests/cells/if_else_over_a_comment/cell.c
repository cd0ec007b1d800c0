int x = 0;
if (x)
	puts("yes");
/* otherwise */
else
	puts("no");
