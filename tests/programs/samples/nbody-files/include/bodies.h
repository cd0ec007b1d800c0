/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that attract each other: what the files of this program share. */
#pragma once

struct body {
	float x, y, z, vx, vy, vz;
};

void step(body *device, int n, float dt);
double energy(const body *bodies, int n);
