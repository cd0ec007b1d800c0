#define LOOP(n, body) \
	for (int i_ = 0; i_ < (n); i_++) { \
		body;                      \
	}
LOOP(2, puts("x"))
puts("end");
