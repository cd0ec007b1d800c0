int n = 0;
for (int i = 0; i < 4; i++) n += i;
int doubled = 2 * n;
doubled
