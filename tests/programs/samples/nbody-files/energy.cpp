// The host's half, for the host's compiler alone.
#include "bodies.h"

#include <cmath>

double energy(const body *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += 0.5 * (b[i].vx * b[i].vx + b[i].vy * b[i].vy + b[i].vz * b[i].vz);
        for (int k = 0; k < i; k++) {
            double dx = b[i].x - b[k].x, dy = b[i].y - b[k].y, dz = b[i].z - b[k].z;
            sum -= 1 / std::sqrt(dx * dx + dy * dy + dz * dz + SOFTENING);
        }
    }
    return sum;
}
