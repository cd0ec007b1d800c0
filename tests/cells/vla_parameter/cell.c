int trace(int n, int m[n][n]) { int t = 0; for (int i = 0; i < n; i++) t += m[i][i]; return t; }
int m[2][2] = { { 1, 2 }, { 3, 4 } };
trace(2, m)
