#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds small CMake projects in HIP in each way that docs/hip.md names, and runs what they make: with the build folder, or with an
installation of it, which HEDDLE_BUILD asks for."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

CMAKE = os.environ["CMAKE"]
BUILD = os.environ.get("HEDDLE_BUILD")
ROOT = Path(os.environ["HEDDLE_HIP_ROOT"])  # in an installation it is relative to its prefix
# What docs/hip.md says that users install.
COMPONENTS = ("runtime", "finalizer", "compiler", "hip", "tools")

KERNEL = """
#include <hip/hip_runtime.h>
__global__ void square(int* x) { x[threadIdx.x] *= x[threadIdx.x]; }
void start(int* x) { square<<<1, 4>>>(x); }
"""
MAIN = """
#include <hip/hip_runtime_api.h>
#include <cstdio>
void start(int* x);
int main() {
  int numbers[4] = {1, 2, 3, 4};
  int* memory = nullptr;
  if (hipMalloc(reinterpret_cast<void**>(&memory), sizeof numbers) != hipSuccess) return 1;
  if (hipMemcpy(memory, numbers, sizeof numbers, hipMemcpyHostToDevice) != hipSuccess) return 2;
  start(memory);
  if (hipMemcpy(numbers, memory, sizeof numbers, hipMemcpyDeviceToHost) != hipSuccess) return 3;
  std::printf("%d %d\\n", numbers[0], numbers[3]);
  return hipFree(memory);
}
"""
HOST_ONLY = MAIN.replace("void start(int* x);", "static void start(int*) {}")


def setUpModule():
    global ROOT
    if BUILD is None:
        return
    prefix = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(prefix.cleanup)
    for component in COMPONENTS:
        done = subprocess.run([CMAKE, "--install", BUILD, "--prefix", prefix.name, "--component", component], capture_output=True, text=True,
                              check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    ROOT = Path(prefix.name) / ROOT


class CmakeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        for name, text in (("kernel.hip", KERNEL), ("kernel.cpp", KERNEL), ("main.cpp", MAIN), ("host.cpp", HOST_ONLY)):
            (self.path / name).write_text(text, encoding="utf-8")

    def run_program(self, *words):
        done = subprocess.run(list(map(str, words)), cwd=self.path, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def check_project(self, text, expected, *options):
        (self.path / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.21)\n" + text, encoding="utf-8")
        self.run_program(CMAKE, "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Release", *options)
        self.run_program(CMAKE, "--build", "build")
        self.assertEqual(self.run_program("build/program"), expected)

    def test_hipcc_is_the_compiler_of_cxx(self):
        self.check_project("project(p LANGUAGES CXX)\nfind_package(hip 5.2 REQUIRED)\nadd_executable(program main.cpp kernel.cpp)\n"
                           "target_link_libraries(program PRIVATE hip::device)\n", "1 16\n",
                           f"-DCMAKE_CXX_COMPILER={ROOT}/bin/hipcc", f"-DCMAKE_PREFIX_PATH={ROOT}")

    def test_hipcc_links_libraries_and_device_code(self):
        self.check_project("project(p LANGUAGES CXX)\nadd_compile_options(-fgpu-rdc)\nadd_library(kernels STATIC kernel.cpp)\n"
                           "add_executable(program main.cpp)\ntarget_link_libraries(program PRIVATE kernels)\n", "1 16\n",
                           f"-DCMAKE_CXX_COMPILER={ROOT}/bin/hipcc")

    def test_host_code_needs_no_hipcc(self):
        self.check_project("project(p LANGUAGES CXX)\nfind_package(hip REQUIRED)\nadd_executable(program host.cpp)\n"
                           "target_link_libraries(program PRIVATE hip::host)\n", "1 4\n", f"-DCMAKE_PREFIX_PATH={ROOT}")

    def test_hip_is_a_language(self):
        self.check_project("project(p LANGUAGES CXX HIP)\nadd_executable(program host.cpp)\nadd_executable(other main.cpp kernel.hip)\n"
                           "set_source_files_properties(main.cpp PROPERTIES LANGUAGE HIP)\nfind_package(hip REQUIRED)\n"
                           "target_link_libraries(program PRIVATE hip::host)\n", "1 4\n",
                           f"-DCMAKE_HIP_COMPILER={ROOT}/bin/hip-clang++", f"-DCMAKE_HIP_COMPILER_ROCM_ROOT={ROOT}", "-DCMAKE_HIP_ARCHITECTURES=gfx1030",
                           f"-DCMAKE_PREFIX_PATH={ROOT}")
        self.assertEqual(self.run_program("build/other"), "1 16\n")

    def test_other_compilers_link_libraries_of_the_language(self):
        self.check_project("project(p LANGUAGES CXX HIP)\nadd_library(kernels STATIC kernel.hip)\nfind_package(hip REQUIRED)\n"
                           "get_target_property(headers hip::amdhip64 INTERFACE_INCLUDE_DIRECTORIES)\nadd_executable(program main.cpp)\n"
                           "target_include_directories(program PRIVATE ${headers})\ntarget_compile_definitions(program PRIVATE __HIP_PLATFORM_AMD__)\n"
                           "target_link_libraries(program PRIVATE kernels)\n"
                           "message(STATUS \"implicit: ${CMAKE_HIP_IMPLICIT_LINK_LIBRARIES} in ${CMAKE_HIP_IMPLICIT_LINK_DIRECTORIES}\")\n", "1 16\n",
                           f"-DCMAKE_HIP_COMPILER={ROOT}/bin/hip-clang++", "-DCMAKE_HIP_ARCHITECTURES=gfx1030", f"-DCMAKE_PREFIX_PATH={ROOT}")
        text = self.run_program(CMAKE, "-S", ".", "-B", "build")
        self.assertRegex(text, r"implicit: \S*\bamdhip64\b\S* in \S*/heddle/hip/lib")

    def test_other_compilers_link_by_the_folder_of_libraries(self):
        self.run_program("c++", "-D__HIP_PLATFORM_AMD__", f"-I{ROOT}/include", "host.cpp", f"-L{ROOT}/lib", "-lamdhip64",
                         f"-Wl,-rpath,{(ROOT / '..' / '..').resolve()}", "-o", "program")
        self.assertEqual(self.run_program("./program"), "1 4\n")

    def test_projects_find_the_library_of_hiprtc(self):
        (self.path / "host.cpp").write_text('#include <hip/hiprtc.h>\n#include <cstdio>\nint main() {\n  int major = 0, minor = -1;\n'
                                            '  std::printf("%d\\n", hiprtcVersion(&major, &minor) == HIPRTC_SUCCESS && major > 0);\n}\n',
                                            encoding="utf-8")
        self.check_project("project(p LANGUAGES CXX)\nfind_package(hip REQUIRED)\nfind_library(rtc hiprtc REQUIRED)\n"
                           "add_executable(program host.cpp)\ntarget_link_libraries(program PRIVATE hip::host ${rtc})\n", "1\n",
                           f"-DCMAKE_PREFIX_PATH={ROOT}", f"-DCMAKE_BUILD_RPATH={(ROOT / '..' / '..').resolve()}")

    def test_c_sources_find_the_headers(self):
        text = MAIN.replace("#include <cstdio>", "#include <hip/hip_runtime.h>\n#include <stdio.h>").replace("std::printf", "printf")
        text = text.replace("int* memory = nullptr", "int* memory = NULL").replace("reinterpret_cast<void**>(&memory)", "(void**)&memory")
        (self.path / "entry.c").write_text(text, encoding="utf-8")
        (self.path / "kernel.hip").write_text(KERNEL.replace("void start", "extern \"C\" void start"), encoding="utf-8")
        for words in ([], [f"--rocm-path={ROOT}"]):
            self.run_program(f"{ROOT}/bin/hipcc", *words, "-Werror", "-c", "entry.c")
        self.run_program(f"{ROOT}/bin/hipcc", "kernel.hip", "entry.o", "-o", "program")
        self.assertEqual(self.run_program("./program"), "1 16\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
