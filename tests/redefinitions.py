# SPDX-License-Identifier: Apache-2.0
"""Definitions that are run again, changed: cell A, cell B that uses it, A as it is then, an expression and its value after
A, B, A', B."""

READ = """
int rd(void)
{
    int *o, h;
    cudaMalloc(&o, sizeof h);
    k<<<1, 1>>>(o);
    cudaMemcpy(&h, o, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(o);
    return h;
}"""

PAIRS = {
    "variable_same_type": ("int x = 1;", "int g(void) { return x; }", "int x = 2;", "x + g()", "4"),
    "variable_other_type": ("int x = 1;", "int g(void) { return (int)x; }", "double x = 2.5;", "x + g()", "4.5"),
    "variable_without_initialiser": ("int x;\nx = 3;", "int g(void) { return x; }", "int x;", "g()", "0"),
    "array_grows": ("int x[2] = {1, 2};", "int g(void) { return (int)(sizeof x / sizeof *x); }", "int x[] = {1, 2, 3};",
                    "x[2] + g()", "6"),
    "tentative_definitions": ("int x;", "int g(void) { return x; }", "int x;\nint x = 4;\nint x;", "g()", "4"),
    "extern_declaration": ("int x = 3;", "extern int x;\nint g(void) { return x; }", "int x = 5;", "g()", "5"),
    "static_variable": ("static int x = 1;", "int g(void) { return x; }", "static int x = 2;", "x + g()", "4"),
    "thread_local": ("_Thread_local int x = 3;", "int g(void) { return x; }", "_Thread_local int x = 5;", "g()", "5"),
    "const": ("const int x = 3;", "int g(void) { return x; }", "const int x = 5;", "g()", "5"),
    "initialiser_that_runs": ("int x = rand() % 1 + 3;", "int g(void) { return x; }", "int x = rand() % 1 + 5;", "g()", "5"),
    "function_same_type": ("int f(int a) { return a + 1; }", "int g(int a) { return f(a); }",
                           "int f(int a) { return a + 10; }", "g(1)", "11"),
    "function_other_type": ("int f(int a) { return a + 1; }", "int g(int a) { return (int)f(a); }",
                            "double f(double a) { return a + 10.5; }", "g(1) + f(1)", "22.5"),
    "static_function": ("static int f(void) { return 1; }", "static int g(void) { return f(); }",
                        "static int f(void) { return 2; }", "g()", "2"),
    "inline_function": ("inline int f(void) { return 1; }", "inline int g(void) { return f(); }",
                        "inline int f(void) { return 2; }", "g()", "2"),
    "static_inline_function": ("static inline int f(void) { return 1; }", "static inline int g(void) { return f(); }",
                               "static inline int f(void) { return 2; }", "g()", "2"),
    "extern_inline_function": ("extern inline int f(void) { return 1; }", "int g(void) { return f(); }",
                               "extern inline int f(void) { return 2; }", "g()", "2"),
    "struct": ("struct s { int a; };", "struct s v = { 1 };\nint g(struct s *p) { return (int)p->a; }",
               "struct s { double b, a; };", "g(&(struct s){ 5, 7 })", "7"),
    "struct_without_tag": ("typedef struct { int a; } s;", "s v = { 1 };\nint g(s *p) { return (int)p->a; }",
                           "typedef struct { double b, a; } s;", "g(&(s){ 5, 7 })", "7"),
    "struct_declared_first": ("struct n;", "struct n { int v; struct n *next; };\nstruct n a = { 4 };", "struct n; ",
                              "a.v", "4"),
    "union": ("union u { int a; };", "union u v = { 1 };", "union u { double d; int a; };", "(int)sizeof v", "8"),
    "typedef": ("typedef int t;", "t v = 3;", "typedef double t;", "(int)sizeof v", "8"),
    "enum": ("enum e { LOW, HIGH };", "enum e v = HIGH;", "enum e { HIGH = 5, LOW };", "v", "HIGH (5)"),
    "enum_without_tag": ("enum { LOW, HIGH };", "int v = HIGH;", "enum { HIGH = 5, LOW };", "v", "5"),
    "macro": ("#define N 1", "int v = N;", "#define N 2", "v", "2"),
    "macro_with_arguments": ("#define F(a) ((a) + 1)", "int v = F(1);", "#define F(a) ((a) + 2)", "v", "3"),
    "macro_then_variable": ("#define N 1", "int v = N;", "#undef N\nint N = 5;", "v", "5"),
    "variable_then_function": ("int f = 1;", "int v;", "int f(void) { return 3; }", "f()", "3"),
    "function_then_variable": ("int f(void) { return 3; }", "int v;", "int f = 1;", "f", "1"),
    "variable_then_type": ("int f = 1;", "int v;", "typedef long f;", "(int)sizeof(f)", "8"),
    "type_then_variable": ("typedef long f;", "int v;", "int f = 1;", "f", "1"),
    "device_variable": ("__device__ int d = 1;", "__global__ void k(int *o) { *o = d; }" + READ, "__device__ int d = 2;",
                        "rd()", "2"),
    "device_variable_other_type": ("__device__ int d = 1;", "__global__ void k(int *o) { *o = (int)d; }" + READ,
                                   "__device__ double d = 2.5;", "rd()", "2"),
    "constant": ("__constant__ int d[2] = {1, 2};", "__global__ void k(int *o) { *o = d[1]; }" + READ,
                 "__constant__ int d[2] = {1, 7};", "rd()", "7"),
    "managed": ("__managed__ int m = 3;", "int g(void) { return m; }", "__managed__ int m = 4;", "g()", "4"),
    "entry": ("__global__ void k(int *o) { *o = 1; }", READ, "__global__ void k(int *o) { *o = 2; }", "rd()", "2"),
    "device_function": ("__device__ int f(void) { return 1; }", "__global__ void k(int *o) { *o = f(); }" + READ,
                        "__device__ int f(void) { return 2; }", "rd()", "2"),
    "function_of_both": ("__host__ __device__ int f(void) { return 1; }", "__global__ void k(int *o) { *o = f(); }" + READ,
                         "__host__ __device__ int f(void) { return 2; }", "rd() + f()", "4"),
    "struct_of_both": ("struct q { int a; };", "__global__ void k(int *o, struct q s) { *o = s.a; }" +
                       READ.replace(">>>(o)", ">>>(o, (struct q){ .a = 7 })"), "struct q { double z; int a; };", "rd()", "7"),
}
