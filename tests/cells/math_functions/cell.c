sqrt(2) * sqrt(2) > 1.99 && fabs(sin(M_PI)) < 1e-9
//---
pow(2, 10) + floor(-1.5) + fmod(7, 3) + hypot(3, 4)
