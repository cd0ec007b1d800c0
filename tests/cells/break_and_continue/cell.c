for (int i = 0; ; i++) {
	if (i % 2) continue;
	if (i > 6) break;
	printf("%d,", i);
}
