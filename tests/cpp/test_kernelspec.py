# SPDX-License-Identifier: Apache-2.0
"""The kernelspec whose cells are C++: the same program, and all that holds for C cells holds here."""
import pytest

from playing import play, refuse


@pytest.fixture(scope="module")
def cpp(start_kernel):
    return start_kernel(kernelspec="cgpu-cpp")


def test_the_language_decides_for_all_cells(cpp, kernel):
    play(cpp, ("sizeof('a')", "1"), ("%%cpp -std=c++23\n__cplusplus > 202002L", "true"))
    play(kernel, ("sizeof('a')", "4"))
    refuse(cpp, "int *p = malloc(4); p[0] = 1;\nint class = 3;", "In[3]:2:5: error", "declaration of anonymous class")


def test_front_ends_are_told(cpp):
    import nbformat  # here, as it takes two seconds in each process that collects tests
    from nbconvert import ScriptExporter
    info = cpp.ask("kernel_info")
    assert info["banner"].startswith("C++ GPU (safe) ") and "C++20" in info["banner"]
    language = info["language_info"]
    assert (language["name"], language["version"], language["mimetype"]) == ("c++", "20", "text/x-c++src")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("int x = 1;")], metadata={"language_info": language})
    script, resources = ScriptExporter().from_notebook_node(notebook)
    assert "int x = 1;" in script and resources["output_extension"] == ".cpp"


def test_a_session_of_cpp(start_kernel):
    kernel = start_kernel(kernelspec="cgpu-cpp")
    play(kernel, "#include <map>\n#include <string>\nstd::map<std::string, int> ages = {{\"ada\", 36}};",
         "ages[\"alan\"] = 41;", ("ages.size()", "2"), ("int twice(int x) { return 2 * x; }\ntwice(ages[\"ada\"])", "72"))
    fault = kernel.run("ages.clear();\n*(volatile int *)0 = 1;")
    assert fault.ename == "SegmentationFault" and "line 2" in fault.traceback
    play(kernel, ("ages.size()", "2"), ("twice(1)", "2"))
    assert kernel.ask("complete", "ages.siz", 8)["matches"] == ["size"]
    assert kernel.ask("is_complete", "for (auto &a : ages) {")["status"] == "incomplete"
    assert kernel.ask("is_complete", "ages.size()")["status"] == "complete"
    kernel.close()


@pytest.mark.cuda
def test_device_code_of_a_session_of_cpp(start_kernel):
    kernel = start_kernel(kernelspec="cgpu-cpp")
    play(kernel, "__global__ void scale(float *a, float by) { a[threadIdx.x] *= by; }",
         "#include <vector>\nstd::vector<float> h(32, 1.5f); float *d; cudaMalloc(&d, 128);\n"
         "cudaMemcpy(d, h.data(), 128, cudaMemcpyHostToDevice);",
         ("scale<<<1, 32>>>(d, 2); cudaMemcpy(h.data(), d, 128, cudaMemcpyDeviceToHost); h[31]", "3.0"))
    refuse(kernel, "scale<<<1, 64>>>(d, 2); cudaDeviceSynchronize();", "CudaIllegalAddress")
    play(kernel, ("cudaMemcpy(h.data(), d, 128, cudaMemcpyDeviceToHost); h[31]", "3.0"))
    kernel.close()


@pytest.mark.cuda
def test_programs_for_nvcc_stay_what_they_are(cpp):
    play(cpp, ("%%cuda\n#include <cstdio>\n__global__ void k() { printf(\"device\"); }\n"
               "int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }", "device"))
