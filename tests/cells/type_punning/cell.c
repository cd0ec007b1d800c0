float f = 1.0f;
*(unsigned *)&f == 0x3f800000
