int *v = malloc(4 * sizeof *v);
for (int i = 0; i < 4; i++) v[i] = i;
//---
v = realloc(v, 8 * sizeof *v);
v[7] = 70;
v[3] + v[7]
//---
free(v);
