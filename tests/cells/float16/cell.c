_Float16 h = 1.5;
(double)(h * 2)
