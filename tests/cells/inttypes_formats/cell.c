uint64_t big = UINT64_C(1) << 40;
printf("%" PRIu64 " %" PRIx32 " %zu\n", big, (uint32_t)255, sizeof big);
