cudaSharedMemConfig config = cudaSharedMemBankSizeFourByte;
cudaLimit limit = cudaLimitStackSize;
cudaTextureAddressMode mode = cudaAddressModeClamp;
(int)config + limit + mode
