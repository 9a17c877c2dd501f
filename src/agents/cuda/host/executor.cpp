// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/host/executor.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <new>
#include <tuple>
#include <vector>

#include "agents/cuda/remote/wire.h"

namespace heddle::cuda::host {
namespace {

using remote::FunctionId;
using remote::Parameter;
using remote::Reader;
using remote::Writer;
using Handler = Status (*)(Executor& executor, Reader& request, Writer& answer);

/// Calls a function whose parameters say all.
template <typename... Parameters>
Status call_plain(const DriverFunction<Parameters...>& function, Reader& request, Writer& answer) {
  std::tuple<Parameter<Parameters>...> parameters;
  const auto read = [&](auto&... parameter) { (parameter.read(request), ...); };
  std::apply(read, parameters);
  if (!request.is_whole()) return Status::invalid_value;
  const Status status =
      std::apply([&](auto&... parameter) { return function(parameter.get()...); }, parameters);
  std::apply([&](auto&... parameter) { (parameter.write(answer), ...); }, parameters);
  return status;
}

template <typename... Parameters>
Status call_if_plain(const DriverFunction<Parameters...>& function, Reader& request, Writer& answer) {
  if constexpr (remote::is_plain<Parameters...>)
    return call_plain(function, request, answer);
  else
    return Status::not_supported;
}

// ---- the others

Status device_name(Executor& executor, Reader& request, Writer& answer) {
  char name[256] = "";
  const auto device = request.take<DeviceNumber>();
  const Status status = executor.api().device_name(name, static_cast<int>(sizeof name), device);
  answer.put_text(name);
  return status;
}

Status error_name(Executor& executor, Reader& request, Writer& answer) {
  const char* text = nullptr;
  const Status status = executor.api().error_name(request.take<Status>(), &text);
  answer.put_text(text && status == Status::success ? text : "unknown error");
  return Status::success;
}

Status error_text(Executor& executor, Reader& request, Writer& answer) {
  const char* text = nullptr;
  const Status status = executor.api().error_text(request.take<Status>(), &text);
  answer.put_text(text && status == Status::success ? text : "no description");
  return Status::success;
}

Status context_retain(Executor& executor, Reader& request, Writer& answer) {
  Context context = nullptr;
  const Status status = executor.api().context_retain(&context, request.take<DeviceNumber>());
  if (status == Status::success) executor.set_context(context);
  answer.put(context);
  return status;
}

/// A kernel with its arguments, which the request keeps.
struct Kernel {
  KernelNode node;
  void* arguments[2];

  explicit Kernel(Reader& request) {
    node.function = request.take<Function>();
    for (unsigned& blocks : node.grid) blocks = request.take<unsigned>();
    for (unsigned& threads : node.block) threads = request.take<unsigned>();
    node.shared_size = request.take<unsigned>();
    for (int i = 0; i < 2; ++i) {
      const auto bytes = request.take_bytes();
      arguments[i] = const_cast<std::byte*>(bytes.data());
      node.argument_sizes[i] = bytes.size();
    }
    node.arguments = arguments;
  }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
};

Status graph_add_kernel(Executor& executor, Reader& request, Writer& answer) {
  const auto graph = request.take<Graph>();
  const auto before = request.take<GraphNode>();
  const Kernel kernel(request);
  if (!request.is_whole()) return Status::invalid_value;
  GraphNode node = nullptr;
  const Status status =
      executor.api().graph_add_kernel(&node, graph, before ? &before : nullptr, before ? 1 : 0, &kernel.node);
  answer.put(node);
  return status;
}

Status graph_add_edges(Executor& executor, Reader& request, Writer&) {
  const auto graph = request.take<Graph>();
  const auto before = request.take<GraphNode>(), after = request.take<GraphNode>();
  const auto edge = request.take<GraphEdge>();
  if (!request.is_whole()) return Status::invalid_value;
  return executor.api().graph_add_edges(graph, &before, &after, &edge, 1);
}

/// Sets a kernel of a graph that is to be launched.
Status set_kernel(Executor& executor, Reader set) {
  const auto graph = set.take<GraphExec>();
  const auto node = set.take<GraphNode>();
  const Kernel kernel(set);
  if (!set.is_whole()) return Status::invalid_value;
  return executor.api().graph_set_kernel(graph, node, &kernel.node);
}

/// A launch with what was set before it.
Status graph_launch(Executor& executor, Reader& request, Writer&) {
  const auto graph = request.take<GraphExec>();
  const auto stream = request.take<Stream>();
  for (auto kernels = request.take<uint64_t>(); kernels != 0 && request.is_whole(); --kernels)
    if (const Status status = set_kernel(executor, Reader(request.take_bytes())); status != Status::success)
      return status;
  return request.is_whole() ? executor.api().graph_launch(graph, stream) : Status::invalid_value;
}

Status copy_to_device(Executor& executor, Reader& request, Writer&) {
  const auto to = request.take<DeviceAddress>();
  const auto from = request.take<uint64_t>();
  const auto size = request.take<size_t>();
  const auto stream = request.take<Stream>();
  return executor.api().copy_to_device(to, reinterpret_cast<const void*>(from), size, stream);
}

Status copy_to_host(Executor& executor, Reader& request, Writer&) {
  const auto to = request.take<uint64_t>();
  const auto from = request.take<DeviceAddress>();
  const auto size = request.take<size_t>();
  const auto stream = request.take<Stream>();
  return executor.api().copy_to_host(reinterpret_cast<void*>(to), from, size, stream);
}

/// Options of the compiler as a request has them, and the logs that it writes.
struct Options {
  static constexpr size_t log_size = 16 << 10;

  std::string logs[2] = {std::string(log_size, '\0'), std::string(log_size, '\0')};
  std::vector<JitOption> names = {JitOption::info_log_buffer, JitOption::info_log_size,
                                  JitOption::error_log_buffer, JitOption::error_log_size};
  std::vector<void*> values = {logs[0].data(), pointer(log_size), logs[1].data(), pointer(log_size)};

  explicit Options(Reader& request) {
    const auto count = request.take<uint64_t>();
    Reader numbers(request.take_bytes());
    for (uint64_t i = 0; i < count && numbers.is_whole(); ++i) {
      names.push_back(numbers.take<JitOption>());
      values.push_back(pointer(numbers.take<uint64_t>()));
    }
  }
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  static void* pointer(uint64_t number) { return reinterpret_cast<void*>(number); }
  unsigned count() const { return static_cast<unsigned>(names.size()); }
  void put_logs(Writer& answer) const {
    for (const std::string& log : logs) answer.put_text(log.c_str());
  }
};

Status module_load(Executor& executor, Reader& request, Writer& answer) {
  const SharedPages image = executor.take_image(request.take<uint64_t>());
  Options options(request);
  if (!image || !request.is_whole()) return Status::invalid_value;
  Module module = nullptr;
  const Status status = executor.api().module_load(&module, image.base(), options.count(),
                                                   options.names.data(), options.values.data());
  answer.put(module);
  options.put_logs(answer);
  return status;
}

/// The machine code stays here until the client, which is told its size, has memory for it.
Status compile(Executor& executor, Reader& request, Writer& answer) {
  const auto number = request.take<uint64_t>();
  const SharedPages image = executor.take_image(number);
  Options options(request);
  if (!image || !request.is_whole()) return Status::invalid_value;
  std::vector<std::byte> cubin;
  const Status status = executor.api().compile(&cubin, static_cast<const char*>(image.base()),
                                               options.count(), options.names.data(), options.values.data());
  answer.put(uint64_t{cubin.size()});
  options.put_logs(answer);
  if (status == Status::success) executor.keep_cubin(number, std::move(cubin));
  return status;
}

Status load_cubin(Executor& executor, Reader& request, Writer& answer) {
  const SharedPages image = executor.take_image(request.take<uint64_t>());
  const auto size = request.take<uint64_t>();
  if (!image || !request.is_whole() || size > image.size()) return Status::invalid_value;
  Module module = nullptr;
  const Status status = executor.api().load_cubin(&module, image.base(), size);
  answer.put(module);
  return status;
}

constexpr auto make_handlers() {
  std::array handlers = {
#define HEDDLE_CUDA_PLAIN(member, ...)                              \
  Handler{[](Executor& executor, Reader& request, Writer& answer) { \
    return call_if_plain(executor.api().member, request, answer);   \
  }},
      HEDDLE_CUDA_FUNCTIONS(HEDDLE_CUDA_PLAIN) HEDDLE_CUDA_OPERATIONS(HEDDLE_CUDA_PLAIN)
#undef HEDDLE_CUDA_PLAIN
  };
  const auto set = [&](FunctionId id, Handler handler) { handlers[static_cast<size_t>(id)] = handler; };
  set(FunctionId::device_name, device_name);
  set(FunctionId::error_name, error_name);
  set(FunctionId::error_text, error_text);
  set(FunctionId::context_retain, context_retain);
  set(FunctionId::graph_add_kernel, graph_add_kernel);
  set(FunctionId::graph_add_edges, graph_add_edges);
  set(FunctionId::graph_launch, graph_launch);
  set(FunctionId::copy_to_device, copy_to_device);
  set(FunctionId::copy_to_host, copy_to_host);
  set(FunctionId::module_load, module_load);
  set(FunctionId::compile, compile);
  set(FunctionId::load_cubin, load_cubin);
  return handlers;
}

}  // namespace

/// The context is that of the calling thread from its first call behind the one that made it.
void Executor::use_context() const {
  thread_local Context used = nullptr;
  Context context = context_;
  if (!context || context == used) return;
  if (api_.context_use(context) == Status::success) used = context;
}

Status Executor::execute(uint16_t function, Reader& request, Writer& answer) noexcept try {
  static constexpr auto handlers = make_handlers();
  if (function >= handlers.size()) return Status::invalid_value;
  use_context();
  return handlers[function](*this, request, answer);
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

Status Executor::map(const remote::MapRequest& memory, int file) {
  use_context();
  void* const wanted = reinterpret_cast<void*>(memory.address);
  void* const base = mmap(wanted, memory.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, file,
                          static_cast<off_t>(memory.offset));
  if (base == MAP_FAILED) return Status::out_of_memory;
  Status status = Status::out_of_memory;  // a system that does not know the flag may choose another address
  if (base == wanted)
    status = api_.host_register(base, memory.size, host_register_portable | host_register_mapped);
  if (status != Status::success) munmap(base, memory.size);
  return status;
}

Status Executor::unmap(uint64_t address, uint64_t size) {
  use_context();
  const Status status = api_.host_unregister(reinterpret_cast<void*>(address));
  if (status == Status::success) munmap(reinterpret_cast<void*>(address), size);
  return status;
}

void Executor::keep_image(uint64_t number, SharedPages image) {
  std::lock_guard lock(mutex_);
  images_.insert_or_assign(number, std::move(image));
}

SharedPages Executor::take_image(uint64_t number) {
  std::lock_guard lock(mutex_);
  auto found = images_.extract(number);
  return found.empty() ? SharedPages() : std::move(found.mapped());
}

void Executor::keep_cubin(uint64_t number, std::vector<std::byte> cubin) {
  std::lock_guard lock(mutex_);
  cubins_.insert_or_assign(number, std::move(cubin));
}

Status Executor::give_cubin(uint64_t number, SharedPages memory) {
  std::lock_guard lock(mutex_);
  const auto found = cubins_.extract(number);
  if (found.empty()) return Status::invalid_value;
  const std::vector<std::byte>& cubin = found.mapped();
  if (!memory || memory.size() < cubin.size()) return Status::out_of_memory;
  std::ranges::copy(cubin, static_cast<std::byte*>(memory.base()));
  return Status::success;
}

}  // namespace heddle::cuda::host
