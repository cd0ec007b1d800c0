# SPDX-License-Identifier: Apache-2.0
"""Streams, events and host functions in cells: what runs at the same time, what waits for what, and where errors show."""
import pytest

PRELUDE = """#include <stdio.h>
#include <pthread.h>
#include <time.h>
__global__ void wait_for(volatile int *flag, int value, int *out) { while (*flag != value) { } *out = value; }
__global__ void set(volatile int *flag, int value) { *flag = value; }
__global__ void add(int *p, int n) { atomicAdd(p, n); }
__global__ void wrong(int *p) { p[1 << 20] = 1; }
int *flag, *out;
cudaMallocManaged(&flag, 16);
cudaMallocManaged(&out, 16);
cudaStream_t one, two, apart;
cudaStreamCreate(&one);
cudaStreamCreate(&two);
cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
cudaEvent_t event, later;
cudaEventCreate(&event);
cudaEventCreate(&later);
void raise_flag(void *data) { *(volatile int *)data = 1; }
void count(void *data) { ++*(int *)data; }
*flag = *out = 0;"""


def value(kernel, code):
    return kernel.run(code).ok().stdout


def test_the_host_frees_an_entry_that_waits_for_it(kernel):
    kernel.run(PRELUDE).ok()
    assert value(kernel, """wait_for<<<1, 1, 0, one>>>(flag, 7, out);
int busy = cudaStreamQuery(one) == cudaErrorNotReady, free_ = cudaStreamQuery(two);
*(volatile int *)flag = 7;
cudaError_t end = cudaStreamSynchronize(one);
printf("%d %d %d %d %d", busy, free_, end, *out, cudaStreamQuery(one));""") == "1 0 0 7 0"


def test_the_host_sees_what_a_running_entry_writes(kernel):
    kernel.run(PRELUDE).ok()
    assert value(kernel, """set<<<1, 1, 0, one>>>(flag, 5);
while (*(volatile int *)flag != 5) { }
printf("seen");""") == "seen"


def test_streams_run_at_the_same_time_and_events_order_them(kernel):
    kernel.run(PRELUDE).ok()
    assert value(kernel, """wait_for<<<1, 1, 0, one>>>(flag, 3, out);
cudaEventRecord(event, one);
cudaStreamWaitEvent(apart, event);
add<<<1, 1, 0, apart>>>(out, 100);
int before = cudaEventQuery(event);
set<<<1, 1, 0, two>>>(flag, 3);
cudaStreamSynchronize(apart);
printf("%d %d %d", before, *out, cudaEventQuery(event));""") == "600 103 0"


def test_the_default_stream_waits_for_blocking_streams_only(kernel):
    kernel.run(PRELUDE).ok()
    assert value(kernel, """wait_for<<<1, 1, 0, apart>>>(flag, 1, out);
add<<<1, 1>>>(out + 1, 1);
cudaError_t legacy = cudaStreamSynchronize(0);
int seen = out[1], running = cudaStreamQuery(apart);
*(volatile int *)flag = 1;
cudaStreamSynchronize(apart);
wait_for<<<1, 1, 0, one>>>(flag, 2, out);
add<<<1, 1>>>(out + 1, 1);
add<<<1, 1, 0, two>>>(out + 1, 1);
int held = out[1], query0 = cudaStreamQuery(0), query2 = cudaStreamQuery(two);
*(volatile int *)flag = 2;
cudaStreamSynchronize(two);
printf("%d %d %d %d %d %d %d", legacy, seen, running, held, query0, query2, out[1]);""") == "0 1 600 1 600 600 3"


def test_a_stream_of_each_thread(kernel):
    kernel.run(PRELUDE).ok()
    assert value(kernel, """void *work(void *unused)
{
    add<<<1, 1, 0, cudaStreamPerThread>>>(out, 10);
    return (void *)(long)cudaStreamSynchronize(cudaStreamPerThread);
}
wait_for<<<1, 1, 0, cudaStreamPerThread>>>(flag, 4, out + 1);
pthread_t thread;
void *end;
pthread_create(&thread, NULL, work, NULL);
pthread_join(thread, &end);
int there = *out, here = cudaStreamQuery(cudaStreamPerThread);
*(volatile int *)flag = 4;
printf("%ld %d %d %d", (long)end, there, here, cudaStreamSynchronize(cudaStreamPerThread));""") == "0 10 600 0"


def test_host_functions_run_in_order_in_a_thread_of_their_own(kernel):
    kernel.run(PRELUDE).ok()
    assert value(kernel, """int order[4], n = 0;
pthread_t host = pthread_self();
int elsewhere = 0, permitted = -1, status = -1;
char *made;
void note(void *data)
{
    order[n++] = (int)(long)data;
    elsewhere += !pthread_equal(pthread_self(), host);
    made = (char *)malloc(100);
    permitted = cudaStreamQuery(0);
}
void older(cudaStream_t stream, cudaError_t error, void *data) { status = error; order[n++] = *(int *)data; }
int two_ = 2;
wait_for<<<1, 1, 0, one>>>(flag, 1, out);
cudaLaunchHostFunc(one, note, (void *)1);
cudaStreamAddCallback(one, older, &two_, 0);
cudaLaunchHostFunc(apart, raise_flag, flag);
cudaStreamSynchronize(one);
printf("%d %d %d %d %d %d", order[0], order[1], elsewhere, permitted, status, made != NULL);""") == "1 2 1 800 0 1"
    assert value(kernel, """made[99] = 1; free(made); printf("freed");""") == "freed"


def test_a_host_function_may_wait_for_the_host(kernel):
    kernel.run(PRELUDE).ok()
    assert value(kernel, """pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
void pass(void *data) { pthread_mutex_lock(&gate); *(int *)data += 1; pthread_mutex_unlock(&gate); }
int passed = 0, *d, got = 0, seven = 7;
pthread_mutex_lock(&gate);
cudaLaunchHostFunc(one, pass, &passed);
cudaMalloc(&d, 4);
cudaMemcpyAsync(d, &seven, 4, cudaMemcpyHostToDevice, apart);
cudaMemcpyAsync(&got, d, 4, cudaMemcpyDeviceToHost, apart);
cudaStreamSynchronize(apart);
int before = passed;
pthread_mutex_unlock(&gate);
cudaDeviceSynchronize();
printf("%d %d %d", before, got, passed);""") == "0 7 1"


def test_a_thread_that_a_host_function_has_started_stands_still_for_the_commit(kernel):
    kernel.run(PRELUDE).ok()
    kernel.run("""#include <unistd.h>
void *stay(void *data) { *(volatile int *)data = 1; for (;;) pause(); }
void start(void *data) { pthread_t t; pthread_create(&t, NULL, stay, data); }
volatile int begun = 0;
cudaLaunchHostFunc(one, start, (void *)&begun);
while (!begun)
    cudaStreamQuery(one);
cudaStreamSynchronize(one);""").ok()
    assert value(kernel, """printf("%d", begun);""") == "1"


def test_events_measure_what_is_between_them(kernel):
    kernel.run(PRELUDE).ok()
    assert value(kernel, """float ms = -1;
cudaError_t never = cudaEventElapsedTime(&ms, event, later);
wait_for<<<1, 1, 0, one>>>(flag, 1, out);
cudaEventRecord(event, one);
wait_for<<<1, 1, 0, one>>>(flag, 2, out);
cudaEventRecord(later, one);
cudaError_t early = cudaEventElapsedTime(&ms, event, later);
struct timespec from, to;
*(volatile int *)flag = 1;
while (cudaEventQuery(event)) { }
clock_gettime(CLOCK_MONOTONIC, &from);
do
    clock_gettime(CLOCK_MONOTONIC, &to);
while ((to.tv_sec - from.tv_sec) * 1e9 + to.tv_nsec - from.tv_nsec < 20e6);
*(volatile int *)flag = 2;
cudaEventSynchronize(later);
cudaEventElapsedTime(&ms, event, later);
printf("%d %d %d", never, early, ms >= 20);""") == "400 600 1"


def test_a_cell_ends_when_its_streams_have_ended(kernel):
    kernel.run(PRELUDE).ok()
    kernel.run("""for (int i = 0; i < 1000; i++)
    add<<<1, 1, 0, i % 2 ? one : apart>>>(out, 1);
cudaLaunchHostFunc(two, count, out + 1);""").ok()
    assert value(kernel, """printf("%d %d", out[0], out[1]);""") == "1000 1"


def test_an_error_is_delivered_by_the_call_that_waits(kernel):
    kernel.run(PRELUDE + "int *d; cudaMalloc(&d, 4);").ok()
    r = kernel.run("""wait_for<<<1, 1, 0, one>>>(flag, 1, out);
wrong<<<1, 1, 0, one>>>(d);
cudaError_t launch = cudaGetLastError(), other = cudaStreamQuery(apart);
*(volatile int *)flag = 1;
cudaError_t sync = cudaStreamSynchronize(one), again = cudaGetLastError(), still = cudaGetLastError();
printf("%d %d %d %d %d", launch, other, sync, again, still);""")
    assert r.status == "error" and r.stdout == "0 0 700 700 700", r.shown
    assert "wrong" in r.shown


def test_a_fault_takes_back_what_other_streams_wrote(kernel):
    kernel.run(PRELUDE + "int *d, h = 5; cudaMalloc(&d, 4); cudaMemcpy(d, &h, 4, cudaMemcpyHostToDevice);").ok()
    lost = kernel.run("""add<<<1, 1, 0, apart>>>(d, 1);
wait_for<<<1, 1, 0, one>>>(flag, 1, out);
cudaMemsetAsync(d, 0, 4, two);
wrong<<<1, 1, 0, two>>>(d);
cudaLaunchHostFunc(two, raise_flag, flag);
cudaDeviceSynchronize();""")
    assert lost.status == "error"
    assert value(kernel, """cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); printf("%d %d", h, *flag);""") == "5 0"


def test_an_entry_that_nobody_can_free_is_a_deadlock(kernel):
    kernel.run(PRELUDE).ok()
    r = kernel.run("wait_for<<<1, 1, 0, one>>>(flag, 1, out);\ncudaStreamSynchronize(one);")
    assert r.status == "error" and "Deadlock" in r.shown, r.shown
    assert value(kernel, """add<<<1, 1>>>(out, 1); cudaDeviceSynchronize(); printf("%d", *out);""") == "1"


def test_a_fault_in_a_host_function_is_told(kernel):
    kernel.run(PRELUDE).ok()
    r = kernel.run("""void crash(void *data) { *(volatile int *)data = 1; }
cudaLaunchHostFunc(one, crash, (void *)64);
cudaStreamSynchronize(one);""")
    assert r.status == "error" and "crash" in r.shown, r.shown
    assert value(kernel, 'printf("on");') == "on"


@pytest.mark.parametrize("call, error", [
    ("cudaStreamQuery(one)", "cudaSuccess"),
    ("cudaStreamQuery((cudaStream_t)&out)", "cudaErrorInvalidResourceHandle"),
    ("cudaEventQuery(event)", "cudaSuccess"),
    ("cudaStreamWaitEvent(one, (cudaEvent_t)&out, 0)", "cudaErrorInvalidResourceHandle"),
    ("cudaStreamWaitEvent(one, event, 8)", "cudaErrorInvalidValue"),
    ("cudaLaunchHostFunc(one, NULL, NULL)", "cudaErrorInvalidValue"),
    ("cudaStreamAddCallback(one, NULL, NULL, 0)", "cudaErrorInvalidValue"),
    ("(cudaStreamDestroy(one), cudaStreamDestroy(one))", "cudaErrorInvalidResourceHandle"),
    ("cudaStreamDestroy(0)", "cudaErrorInvalidResourceHandle"),
])
def test_wrong_calls_have_the_errors_of_cuda(kernel, call, error):
    kernel.run(PRELUDE).ok()
    assert value(kernel, f'printf("%s", cudaGetErrorName({call}));') == error


def test_a_program_with_a_default_stream_for_each_thread(kernel):
    r = kernel.run("""%%cuda --default-stream per-thread
#include <cstdio>
__global__ void wait_for(volatile int *flag, int *out) { while (!*flag) { } *out = 5; }
__global__ void set(volatile int *flag) { *flag = 1; }
int main()
{
    int *flag, *out;
    cudaStream_t other;
    cudaMallocManaged(&flag, 4);
    cudaMallocManaged(&out, 4);
    *flag = *out = 0;
    cudaStreamCreate(&other);
    wait_for<<<1, 1>>>(flag, out);
    set<<<1, 1, 0, other>>>(flag);
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = 1;
    config.stream = other;
    cudaError_t again = cudaLaunchKernelEx(&config, set, (volatile int *)flag);
    cudaError_t end = cudaStreamSynchronize(0);
    printf("%d %d %d", again, end, *out);
}""").ok()
    assert r.stdout == "0 0 5", r.shown


def test_a_thread_goes_on_launching_between_cells(kernel):
    """There is a buffer of an earlier cell, so that each cell keeps a pre-image and gives it back behind its commit."""
    kernel.run(PRELUDE).ok()
    kernel.run("int *earlier; cudaMalloc(&earlier, 4);").ok()
    kernel.run("""volatile int stop = 0, rounds = 0;
int counted = 0;
pthread_t loop;
void *launches(void *unused)
{
    while (!stop) {
        add<<<1, 1, 0, apart>>>(out, 1);
        cudaLaunchHostFunc(apart, count, &counted);
        if (rounds % 2)
            cudaStreamSynchronize(apart);
        else
            while (cudaStreamQuery(apart) == cudaErrorNotReady) { }
        rounds++;
    }
    return NULL;
}
pthread_create(&loop, NULL, launches, NULL);""").ok()
    for _ in range(20):
        kernel.run("int before = rounds; while (rounds < before + 5) { } add<<<1, 1>>>(out + 1, 1);").ok()
    assert value(kernel, """stop = 1;
pthread_join(loop, NULL);
cudaDeviceSynchronize();
printf("%d %d %d", *out == rounds, counted == rounds, out[1]);""") == "1 1 20"


def test_a_copy_of_pageable_memory_has_ended_when_its_call_returns(kernel):
    """The driver stages such memory, so programs use it at once. Of memory that is pinned the call returns before."""
    kernel.run(PRELUDE).ok()
    kernel.run("""__global__ void late(int *out, int n)
{
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        sum = sum * 3 + (i ^ sum);
    out[0] = 42 + (sum == 12345);
}
int *data, *pinned;
cudaMalloc(&data, 64);
cudaMallocHost(&pinned, 64);""").ok()
    for name, copy in {
        "linear": "cudaMemcpyAsync(&back, data, 4, cudaMemcpyDeviceToHost, one)",
        "rows": "cudaMemcpy2DAsync(&back, 4, data, 4, 4, 1, cudaMemcpyDeviceToHost, one)",
        "driver": "cuMemcpyDtoHAsync(&back, (CUdeviceptr)data, 4, one)",
    }.items():
        r = kernel.run(f'int back = 0; late<<<1, 1, 0, one>>>(data, 3000000); {copy};\n'
                       'printf("%d %d", back, cudaStreamQuery(one));').ok()
        assert r.stdout == "42 0", name
    # What the host has from then on is not what is copied.
    assert value(kernel, """int from = 7;
late<<<1, 1, 0, one>>>(data, 3000000);
cudaMemcpyAsync(data + 1, &from, 4, cudaMemcpyHostToDevice, one);
from = 8;
cudaStreamSynchronize(one);
cudaMemcpy(&from, data + 1, 4, cudaMemcpyDeviceToHost);
printf("%d", from);""") == "7"
    assert value(kernel, """wait_for<<<1, 1, 0, one>>>(flag, 9, out);
cudaMemcpyAsync(pinned, data, 4, cudaMemcpyDeviceToHost, one);
printf("%d", cudaStreamQuery(one) == cudaErrorNotReady);
*(volatile int *)flag = 9;""") == "1"
