double total(int n, ...)
{
	double t = 0;
	va_list ap;
	va_start(ap, n);
	while (n--) t += va_arg(ap, double);
	va_end(ap);
	return t;
}
total(3, 1.0, 2.5, 3.0)
