__global__ void nothing() {}
nothing<<<1, 1>>>()
//---
nothing<<<1, 1>>>(), 5
