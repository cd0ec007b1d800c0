unsigned mixed(unsigned x)
{
	for (int i = 0; i < 10; i++) {
		if (x % 3 == 1)
			continue;
		if (x > 4000000000u)
			break;
		x = x * 5 + (unsigned)i;
	}
	return x;
}
double root(double x)
{
	double g = x + 1;
	int n = 12;
	while (n--)
		g = (g + x / g) / 2;
	return g;
}
int bits(unsigned char x)
{
	int n = 0, i = 8;
	do {
		switch (x & 3) {
		case 0: break;
		case 3: n++; /* fall through */
		default: n++;
		}
		x >>= 2;
	} while ((i -= 2) > 0);
	return n;
}
struct pair { long a, b; } fibonacci(void)
{
	struct pair p = { 0, 1 };
	for (int i = 0; i < 30; i++)
		p = (struct pair){ p.b, p.a + p.b };
	return p;
}
long table(int x)
{
	long s = 0;
	for (int i = 5; i > 0; i--)
		for (int k = 0; k < i; k++)
			s = s * 7 % 1000003 + x * i - k;
	return s;
}
float tiny(float x)
{
	for (int i = 0; i < 20; i++)
		x = x * 0.5f + 1;
	return x;
}
printf("%u %u %.15g %d %d %ld %ld %.9g\n", mixed(2), mixed(17), root(2), bits(0xb7), bits(255), fibonacci().b, table(3),
       (double)tiny(100));
//---
int squares[20], order[20];
for (int i = 0; i < 20; i++)
	squares[i] = i * i % 17;
for (int i = 0; i < 20; i++) {
	int place = 0;
	for (int k = 0; k < 20; k++)
		place += squares[k] < squares[i] || (squares[k] == squares[i] && k < i);
	order[place] = i;
}
for (int i = 0; i < 20; i++)
	printf("%d%c", order[i], i < 19 ? ' ' : '\n');
//---
unsigned sum = 0;
for (unsigned i = 0; i < 1000000; i++)
	sum = sum * 31 + mixed(i) + (unsigned)bits((unsigned char)i) + (unsigned)table((int)(i & 7));
sum
