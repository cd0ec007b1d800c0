FILE *f = tmpfile();
fprintf(f, "%d %d\n", 3, 4); rewind(f);
int a, b; fscanf(f, "%d %d", &a, &b); fclose(f);
a * b
