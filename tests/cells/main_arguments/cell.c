int main(int argc, char **argv)
{
	printf("%d %s\n", argc, argv[0]);
	return argc + 4;
}
//---
main()
//---
int main(int n, char *a[], char **env) { return n + (a[1] == 0) + (env != 0); }
int status = main();
status
//---
int main(void) { return 9; }
main();
//---
main()
