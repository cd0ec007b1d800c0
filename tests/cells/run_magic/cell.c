%run one "two words" 'th"ree'
int runs;
static void bye(void) { puts("bye"); }
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		printf("%d %s\n", i, argv[i]);
	atexit(bye);
	runs++;
	if (argc == 1)
		exit(3);
	return 1;
}
//---
%run
//---
runs
//---
%run
int main(void) { int *p = 0; runs = 9; return *p; }
//---
%run again
//---
%run
void main(void) { _exit(256 + 7); }
//---
main(); exit(5);
//---
runs
