int zero = 0, five = 5;
(zero ?: 7) + (five ?: 9)
