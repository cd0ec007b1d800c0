enum e { A = -1, B, C = 0 };
A + B + C
