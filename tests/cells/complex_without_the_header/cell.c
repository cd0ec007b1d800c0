_Complex float z = 1.0f + 2.0if;
__real__ z * 10 + __imag__ z
