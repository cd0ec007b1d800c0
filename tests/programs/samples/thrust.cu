// Thrust with the C++ library: sort, reduce_by_key, a functor.
#include <algorithm>
#include <iostream>
#include <map>
#include <random>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

struct square {
    __host__ __device__ int operator()(int x) const { return x * x; }
};

int main()
{
    std::mt19937 random(1);
    std::vector<int> host(500);
    std::map<int, int> want;
    for (int &x : host) {
        x = random() % 10;
        want[x] += x * x;
    }
    thrust::device_vector<int> keys(host.begin(), host.end()), squares(host.size()), kinds(10), sums(10);
    thrust::sort(keys.begin(), keys.end());
    thrust::transform(keys.begin(), keys.end(), squares.begin(), square());
    auto end = thrust::reduce_by_key(keys.begin(), keys.end(), squares.begin(), kinds.begin(), sums.begin());
    bool good = end.first - kinds.begin() == (long)want.size();
    for (size_t i = 0; i < want.size(); i++)
        good &= want[kinds[i]] == sums[i];
    std::cout << (good ? "verified" : "wrong") << std::endl;
    return !good;
}
