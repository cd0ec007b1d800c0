void CUDART_CB done(cudaStream_t stream, cudaError_t status, void *data)
{
	*(int *)data = status;
}
int status = 5;
done(0, cudaErrorInvalidValue, &status);
status
