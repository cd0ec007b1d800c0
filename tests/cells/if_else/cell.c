int x = 3;
if (x > 2) puts("big"); else puts("small");
if (x > 5)
	puts("no");
else if (x == 3) {
	puts("three");
}
