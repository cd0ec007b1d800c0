struct tm t = { .tm_year = 100, .tm_mon = 0, .tm_mday = 1 };
char day[16];
strftime(day, sizeof day, "%Y-%m-%d", &t);
day
