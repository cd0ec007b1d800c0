int n = 3, *d;
//---
cudaMalloc(&d);
//---
cudaMemcpy(d, &n, sizeof n);
//---
cudaMemcopy(d, &n, 4, cudaMemcpyHostToDevice);
