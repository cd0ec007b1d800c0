double sqrt(double);
sqrt(9)
