cudaSuccess + max(3, 2)
