// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of the driver, as clients of a process call them. Those whose parameters say all are sent as
// they are; the others follow one by one.
#include <cstdio>

#include "agents/cuda/remote/more_stubs.h"
#include "agents/cuda/remote/stub_parts.h"

namespace heddle::cuda::remote {
namespace {

/// Makes a function one that is sent as it is, if its parameters say all.
template <FunctionId id, typename... Parameters>
void set_plain(DriverFunction<Parameters...>& function, RemoteDriver& driver) {
  function.target = &driver;
  if constexpr (is_plain<Parameters...>)
    function.invoke = [](void* target, Parameters... values) {
      return guarded([&] {
        Request request(driver_of(target), id);
        (request.put(values), ...);
        return request.call([&](Reader& answer) { (request.store(answer, values), ...); });
      });
    };
  else
    function.invoke = [](void*, Parameters...) { return Status::not_supported; };
}

// ---- devices and contexts

Status device_name(void* target, char* to, int size, DeviceNumber device) {
  return guarded([&] {
    Request request(driver_of(target), FunctionId::device_name);
    request.put(device);
    return request.call([&](Reader& answer) {
      std::snprintf(to, static_cast<size_t>(size), "%s", answer.take_text().c_str());
    });
  });
}

/// Every thread of the process uses the only context that it has.
Status context_use(void* target, Context) { return driver_of(target).lost(); }

template <FunctionId id>
Status error_text(void* target, Status status, const char** text) {
  return guarded([&] {
    RemoteDriver& driver = driver_of(target);
    const bool is_name = id == FunctionId::error_name;
    *text = driver.known_text(is_name, status);
    if (*text) return Status::success;
    Request request(driver, id);
    request.put(status);
    return request.call(
        [&](Reader& answer) { *text = driver.keep_text(is_name, status, answer.take_text()); });
  });
}

// ---- streams

Status stream_create(void* target, Stream* out, unsigned flags, int priority) {
  return guarded([&] {
    Request request(driver_of(target), FunctionId::stream_create);
    request.put(flags);
    request.put(priority);
    if (request.problem() != Status::success) return request.problem();
    const auto& connection = request.connection();
    Channel* const channel = connection->take_channel();
    if (!channel) return connection->lost() == Status::success ? Status::out_of_memory : connection->lost();
    auto made = std::make_unique<RemoteStream>(connection, channel, nullptr);
    const Status status =
        request.call_on(*channel, [&](Reader& answer) { made->real = answer.take<Stream>(); });
    if (status == Status::success)
      *out = handle_of<Stream>(std::move(made));
    else
      connection->give_back(channel);
    return status;
  });
}

Status stream_destroy(void* target, Stream stream) {
  const std::unique_ptr<RemoteStream> destroyed(remote_of(stream));
  return guarded([&] {
    Request request(driver_of(target), FunctionId::stream_destroy);
    request.put(stream);
    const Status status = request.call(take_nothing);
    if (request.problem() != Status::success) return status;
    destroyed->channel->forget_error();
    destroyed->connection->give_back(destroyed->channel);
    return status;
  });
}

Status stream_write_value(void* target, Stream stream, DeviceAddress address, uint64_t value,
                          unsigned flags) {
  return guarded([&] {
    Request request(driver_of(target), FunctionId::stream_write_value);
    request.put(stream);
    request.put(address);
    request.put(value);
    request.put(flags);
    return request.post();
  });
}

// ---- graphs

Status graph_add_kernel(void* target, GraphNode* out, Graph graph, const GraphNode* before, size_t count,
                        const KernelNode* kernel) {
  if (count > 1) return Status::not_supported;
  return guarded([&] {
    Request request(driver_of(target), FunctionId::graph_add_kernel);
    request.put(graph);
    request.put(count == 0 ? nullptr : *before);
    request.put_kernel(*kernel);
    return request.call([&](Reader& answer) { request.store(answer, out); });
  });
}

Status graph_add_edges(void* target, Graph graph, const GraphNode* before, const GraphNode* after,
                       const GraphEdge* edge, size_t count) {
  if (count != 1) return Status::not_supported;
  return guarded([&] {
    Request request(driver_of(target), FunctionId::graph_add_edges);
    request.put(graph);
    request.put(*before);
    request.put(*after);
    request.writer().put(*edge);
    return request.call(take_nothing);
  });
}

Status graph_instantiate(void* target, GraphExec* out, Graph graph, unsigned long long flags) {
  return guarded([&] {
    Request request(driver_of(target), FunctionId::graph_instantiate);
    request.put(graph);
    request.put(flags);
    auto made = std::make_unique<RemoteGraph>(request.connection(), nullptr, std::vector<Writer>());
    const Status status = request.call([&](Reader& answer) { made->real = answer.take<GraphExec>(); });
    if (status == Status::success) *out = handle_of<GraphExec>(std::move(made));
    return status;
  });
}

/// The kernels wait here for the launch.
Status graph_set_kernel(void* target, GraphExec graph, GraphNode node, const KernelNode* kernel) {
  return guarded([&] {
    Request request(driver_of(target), FunctionId::graph_set_kernel);
    request.put(graph);
    request.put(node);
    request.put_kernel(*kernel);
    if (request.problem() == Status::success)
      remote_of(graph)->kernels.push_back(std::move(request.writer()));
    else if (RemoteGraph* const remote = remote_of(graph))
      remote->kernels.clear();  // the launch does not take place
    return request.problem();
  });
}

Status graph_launch(void* target, GraphExec graph, Stream stream) {
  return guarded([&] {
    Request request(driver_of(target), FunctionId::graph_launch);
    request.put(graph);
    request.put(stream);
    if (request.problem() != Status::success) return request.problem();
    const std::vector<Writer> kernels = std::exchange(remote_of(graph)->kernels, {});
    request.writer().put(uint64_t{kernels.size()});
    for (const Writer& kernel : kernels) request.put_written(kernel);
    return request.post();
  });
}

Status graph_exec_destroy(void* target, GraphExec graph) {
  const std::unique_ptr<RemoteGraph> destroyed(remote_of(graph));
  return guarded([&] {
    Request request(driver_of(target), FunctionId::graph_exec_destroy);
    request.put(graph);
    return request.call(take_nothing);
  });
}

}  // namespace

std::unique_ptr<const DriverApi> make_api(RemoteDriver& driver) {
  return DriverApi::make([&](DriverApi& api) {
#define HEDDLE_CUDA_SET(member, ...) set_plain<FunctionId::member>(api.member, driver);
    HEDDLE_CUDA_FUNCTIONS(HEDDLE_CUDA_SET)
#undef HEDDLE_CUDA_SET
    api.device_name.invoke = device_name;
    api.context_use.invoke = context_use;
    api.error_name.invoke = error_text<FunctionId::error_name>;
    api.error_text.invoke = error_text<FunctionId::error_text>;
    api.stream_create.invoke = stream_create;
    api.stream_destroy.invoke = stream_destroy;
    api.stream_write_value.invoke = stream_write_value;
    api.graph_add_kernel.invoke = graph_add_kernel;
    api.graph_add_edges.invoke = graph_add_edges;
    api.graph_instantiate.invoke = graph_instantiate;
    api.graph_set_kernel.invoke = graph_set_kernel;
    api.graph_launch.invoke = graph_launch;
    api.graph_exec_destroy.invoke = graph_exec_destroy;
    set_memory_functions(api);
    api.module_load.invoke = load_module;
    api.compile = {api.compile.name, &driver, compile};
    api.load_cubin = {api.load_cubin.name, &driver, load_cubin};
  });
}

}  // namespace heddle::cuda::remote
