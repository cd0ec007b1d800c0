#define N 4
int grid[N][N];
//---
for (int i = 0; i < N; i++) grid[i][i] = i;
grid[3][3] + sizeof grid / sizeof *grid
