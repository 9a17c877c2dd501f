// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every host program that uses the HSA runtime needs (agents, memory, code, queues), as small owning
// objects. It uses the plain C API of <hsa/hsa.h> and nothing of any implementation; hsa_session.cpp shows
// each step once.
//
// Errors are exceptions (Error), because all that an example can do is to say what happened and stop.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_finalize.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace examples {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/** Throws an Error with `what` and the runtime's own words, unless status is success. */
void check(hsa_status_t status, const char* what);

/** Calls hsa_init when it is constructed and hsa_shut_down when it is destroyed. */
class Runtime {
 public:
  Runtime() { check(hsa_init(), "hsa_init"); }
  ~Runtime() { hsa_shut_down(); }
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
};

/** An agent that executes kernels, and what a program must know of it. */
struct Agent {
  hsa_agent_t handle;
  std::string name;
  hsa_isa_t isa;          ///< the first of its ISAs
  hsa_profile_t profile;  ///< of the modules that it executes, not of its memory
  hsa_default_float_rounding_mode_t rounding;
  hsa_region_t memory;   ///< fine-grained: host and agent use it without copies
  hsa_region_t kernarg;  ///< for kernel arguments
  uint32_t queue_size;
};

/** All kernel agents of the machine. */
std::vector<Agent> kernel_agents();

/** Memory that host and agent share; freed with the object. */
template <typename T>
class Buffer {
 public:
  Buffer(const Agent& agent, size_t size) : size_(size) {
    void* address = nullptr;
    check(hsa_memory_allocate(agent.memory, size * sizeof(T), &address), "hsa_memory_allocate");
    data_ = static_cast<T*>(address);
  }
  ~Buffer() { hsa_memory_free(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }

 private:
  T* data_;
  size_t size_;
};

/** A kernel that is loaded and ready, with what its dispatch packets need. */
struct Kernel {
  uint64_t object;
  uint32_t kernarg_size;
  uint32_t group_size;
  uint32_t private_size;
};

/** One BRIG module, finalized for an agent and loaded. */
class Executable {
 public:
  /** Throws if the file cannot be read, finalized or loaded. */
  Executable(const Agent& agent, const std::string& brig_file);
  /** Takes the bytes of the module instead of a file. Throws if they cannot be finalized or loaded. */
  Executable(const Agent& agent, std::vector<char> brig);
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  Kernel kernel(const char* name) const;
  /** Returns the time that making the code objects took. */
  double finalize_milliseconds() const { return finalize_milliseconds_; }

 private:
  void load(const Agent& agent, const std::vector<std::vector<char>>& code_objects);

  hsa_agent_t agent_;
  hsa_executable_t executable_{};
  std::vector<hsa_code_object_reader_t> readers_;
  std::vector<std::vector<char>> code_objects_;
  double finalize_milliseconds_ = 0;
};

/** The arguments of one dispatch, laid out for the kernarg segment: in order, naturally aligned. */
class Arguments {
 public:
  template <typename... T>
  Arguments(const Agent& agent, const Kernel& kernel, const T&... values)
      : Arguments(agent, kernel.kernarg_size) {
    (append(&values, sizeof(values)), ...);
  }
  ~Arguments() { hsa_memory_free(data_); }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  void* data() const { return data_; }
  /** Adds an argument whose size is its alignment. Throws if the kernel has no room for it. */
  void append(const void* value, size_t size);

 private:
  Arguments(const Agent& agent, uint32_t size);

  char* data_ = nullptr;
  size_t capacity_;
  size_t used_ = 0;
};

/** The sizes of a grid and of its work-groups, in work-items. */
struct Grid {
  uint32_t x = 1, y = 1, z = 1;
  uint16_t group_x = 1, group_y = 1, group_z = 1;

  /** Returns the smallest grid of whole work-groups that covers x, y. */
  static Grid cover(uint32_t x, uint32_t y, uint16_t group_x, uint16_t group_y) {
    auto up = [](uint32_t n, uint32_t m) { return (n + m - 1) / m * m; };
    return {up(x, group_x), up(y, group_y), 1, group_x, group_y, 1};
  }
};

/** A signal, which packets of any queue can wait for until its value is 0. */
class Signal {
 public:
  explicit Signal(hsa_signal_value_t value) {
    check(hsa_signal_create(value, 0, nullptr, &handle_), "hsa_signal_create");
  }
  ~Signal() { hsa_signal_destroy(handle_); }
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;
  hsa_signal_t handle() const { return handle_; }

 private:
  hsa_signal_t handle_{};
};

/** A queue of an agent, with a signal of its own that counts the packets that are not complete. */
class Queue {
 public:
  explicit Queue(const Agent& agent);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /** Writes a packet, whose kernel begins when all packets before it are complete. */
  void enqueue(const Kernel& kernel, const Grid& grid, const Arguments& arguments);
  /** The same, but completion is told to `completed` alone: 1 is subtracted from it. */
  void enqueue(const Kernel& kernel, const Grid& grid, const Arguments& arguments, const Signal& completed);
  /** Lets all later packets wait until the values of two signals, which may be the same, are 0. */
  void wait_for(const Signal& first, const Signal& second);
  /** Waits for all packets that have no other signal. Throws if the queue went into the error state. */
  void finish() { finish(completed_); }
  /** Waits until the value of a signal, which packets of the queue complete, is 0. Throws as finish() does.
   */
  void finish(const Signal& signal);
  /** Calls enqueue() and finish(). Returns the time that they take, in milliseconds. */
  double run(const Kernel& kernel, const Grid& grid, const Arguments& arguments);

 private:
  static void on_error(hsa_status_t status, hsa_queue_t* queue, void* self);
  template <typename Packet>
  void write(Packet packet);

  hsa_queue_t* queue_ = nullptr;
  Signal completed_{0};
  std::atomic<hsa_status_t> error_{HSA_STATUS_SUCCESS};
};

}  // namespace examples
