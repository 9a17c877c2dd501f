// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of OpenCL that the comparison needs. Errors are exceptions.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "workloads/host.h"

namespace comparison {

inline void check(cl_int status, const std::string& what) {
  if (status != CL_SUCCESS) throw std::runtime_error(what + ": OpenCL error " + std::to_string(status));
}

/// The first CPU device, with an in-order queue.
class Device {
 public:
  Device() {
    cl_uint count = 0;
    check(clGetPlatformIDs(0, nullptr, &count), "clGetPlatformIDs");
    std::vector<cl_platform_id> platforms(count);
    check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
    for (cl_platform_id platform : platforms) {
      if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, nullptr) == CL_SUCCESS) break;
    }
    if (device == nullptr) throw std::runtime_error("there is no OpenCL CPU device");
    cl_int status = 0;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
  }
  ~Device() {
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  std::string name() const {
    char text[256] = {}, version[256] = {};
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, nullptr);
    clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, nullptr);
    return std::string(text) + ", " + version;
  }

  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
};

/// A program that is built from a file. Divisions and roots are rounded correctly, as in HSAIL's full
/// profile.
class Program {
 public:
  Program(Device& device, const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const char* source = text.c_str();
    cl_int status = 0;
    handle = clCreateProgramWithSource(device.context, 1, &source, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    check(
        clBuildProgram(handle, 1, &device.device, "-cl-fp32-correctly-rounded-divide-sqrt", nullptr, nullptr),
        path);
  }
  ~Program() { clReleaseProgram(handle); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  cl_program handle = nullptr;
};

/// A buffer over memory of the host, which a CPU device uses in place.
class Memory {
 public:
  Memory(Device& device, const bench::Bytes& initial) : memory_(initial) {
    cl_int status = 0;
    handle = clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, memory_.size(),
                            memory_.data(), &status);
    check(status, "clCreateBuffer");
  }
  ~Memory() { clReleaseMemObject(handle); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  bench::Bytes contents(Device& device) const {
    bench::Bytes bytes(memory_.size());
    check(clEnqueueReadBuffer(device.queue, handle, CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr,
                              nullptr),
          "clEnqueueReadBuffer");
    return bytes;
  }

  cl_mem handle = nullptr;

 private:
  bench::PageAligned memory_;
};

/// A kernel with its arguments.
class Kernel {
 public:
  Kernel(const Program& program, const std::string& name) {
    cl_int status = 0;
    kernel_ = clCreateKernel(program.handle, name.c_str(), &status);
    check(status, name);
  }
  ~Kernel() { clReleaseKernel(kernel_); }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  void append(const void* value, size_t size) {
    check(clSetKernelArg(kernel_, count_++, size, value), "clSetKernelArg");
  }

  void enqueue(Device& device, const size_t (&grid)[3], const size_t (&group)[3]) const {
    check(clEnqueueNDRangeKernel(device.queue, kernel_, 3, nullptr, grid, group, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
  }

 private:
  cl_kernel kernel_ = nullptr;
  cl_uint count_ = 0;
};

}  // namespace comparison
