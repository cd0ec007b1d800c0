float *d;
cudaMalloc(&d, 16)
//---
struct point { int x, y; };
void *any = d;
//---
float *again = any;
cudaFree(again)
//---
struct point at = { .y = 2, .x = 1 };
cudaDeviceSynchronize();
at
//---
cudaMemset(d, 1)
