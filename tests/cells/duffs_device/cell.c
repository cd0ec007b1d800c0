void copy(char *to, const char *from, int n)
{
	int k = (n + 3) / 4;
	switch (n % 4) {
	case 0: do { *to++ = *from++;
	case 3: *to++ = *from++;
	case 2: *to++ = *from++;
	case 1: *to++ = *from++;
	} while (--k > 0);
	}
}
char out[8];
copy(out, "seven77", 7);
out
