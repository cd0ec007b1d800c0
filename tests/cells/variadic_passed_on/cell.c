int say(const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt); va_copy(again, ap);
	vprintf(fmt, ap);
	int n = vprintf(fmt, again);
	va_end(ap); va_end(again);
	return n;
}
say("%d-%s\n", 4, "x")
