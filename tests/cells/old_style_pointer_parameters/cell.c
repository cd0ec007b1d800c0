int first(s, n)
	char *s;
	unsigned n;
{
	return s[n];
}
first("abc", 1)
