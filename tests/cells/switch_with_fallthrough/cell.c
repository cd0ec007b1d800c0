int kind(int c)
{
	switch (c) {
	case 'a' ... 'f':
	case '0' ... '9': return 1;
	default: return 0;
	case 'x': ;
	}
	return 2;
}
kind('c') * 100 + kind('7') * 10 + kind('x')
//---
switch (kind('q')) { case 0: puts("other"); case 1: puts("falls"); break; case 2: puts("no"); }
