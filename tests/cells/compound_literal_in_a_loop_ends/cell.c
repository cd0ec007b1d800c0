int *keep[2];
for (int i = 0; i < 2; i++) { int *p = (int[]){ i + 5 }; keep[i] = p; printf("%d,", *p); }
