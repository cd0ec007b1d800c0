int x = 1;
{
	int x = 2;
	{ int x = 3; printf("%d", x); }
	printf("%d", x);
}
printf("%d\n", x);
