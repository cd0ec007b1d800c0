#include "no-such-file.h"
