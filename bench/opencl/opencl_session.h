// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of OpenCL that the comparison needs. Errors are exceptions.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace comparison {

inline void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS)
    throw std::runtime_error(std::string(what) + ": OpenCL error " + std::to_string(status));
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

/// A buffer over memory of the host, which a CPU device uses in place.
template <typename T>
class Buffer {
 public:
  Buffer(Device& device, size_t size) : values(size) {
    cl_int status = 0;
    memory = clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size * sizeof(T),
                            values.data(), &status);
    check(status, "clCreateBuffer");
  }
  ~Buffer() { clReleaseMemObject(memory); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// Makes the device see what the host has written into `values`.
  void upload(Device& device) {
    check(clEnqueueWriteBuffer(device.queue, memory, CL_TRUE, 0, values.size() * sizeof(T), values.data(), 0,
                               nullptr, nullptr),
          "clEnqueueWriteBuffer");
  }
  /// Makes the host see in `values` what the device has written.
  void download(Device& device) {
    check(clEnqueueReadBuffer(device.queue, memory, CL_TRUE, 0, values.size() * sizeof(T), values.data(), 0,
                              nullptr, nullptr),
          "clEnqueueReadBuffer");
  }

  std::vector<T> values;
  cl_mem memory = nullptr;
};

class Kernel {
 public:
  Kernel(cl_program program, const char* name) {
    cl_int status = 0;
    kernel_ = clCreateKernel(program, name, &status);
    check(status, name);
  }
  ~Kernel() { clReleaseKernel(kernel_); }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  template <typename... T>
  Kernel& with(const T&... arguments) {
    cl_uint index = 0;
    (set(index++, arguments), ...);
    return *this;
  }

  void enqueue(Device& device, size_t grid_x, size_t grid_y, size_t group_x, size_t group_y) {
    auto up = [](size_t n, size_t m) { return (n + m - 1) / m * m; };
    size_t grid[] = {up(grid_x, group_x), up(grid_y, group_y)}, group[] = {group_x, group_y};
    check(clEnqueueNDRangeKernel(device.queue, kernel_, 2, nullptr, grid, group, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
  }

 private:
  template <typename T>
  void set(cl_uint index, const T& value) {
    check(clSetKernelArg(kernel_, index, sizeof value, &value), "clSetKernelArg");
  }
  template <typename T>
  void set(cl_uint index, const Buffer<T>& buffer) {
    check(clSetKernelArg(kernel_, index, sizeof buffer.memory, &buffer.memory), "clSetKernelArg");
  }

  cl_kernel kernel_ = nullptr;
};

inline double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace comparison
