cudaEvent_t timed, untimed;
float ms;
cudaEventCreate(&timed);
cudaEventCreate(&untimed, cudaEventDisableTiming);
cudaEventRecord(timed);
cudaEventRecord(untimed);
cudaEventSynchronize(untimed);
cudaEventElapsedTime(&ms, timed, untimed)
