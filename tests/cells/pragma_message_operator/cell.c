_Pragma("GCC diagnostic push")
_Pragma("GCC diagnostic ignored \"-Wformat\"")
printf("%d\n", 4L);
_Pragma("GCC diagnostic pop")
