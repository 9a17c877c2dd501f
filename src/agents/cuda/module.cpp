// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/module.h"

#include <fmt/format.h>

#include <cstring>

#include "agents/cuda/cubin_cache.h"
#include "codeobject/ptx_kernel.h"

namespace heddle::cuda {
namespace {

constexpr size_t log_size = 16 << 10;

/// The options of one call of the loader or the linker, and the logs that it writes. The driver may change
/// the values.
struct Options {
  std::string info = std::string(log_size, '\0'), error = std::string(log_size, '\0');
  std::vector<JitOption> names;
  std::vector<void*> values;

  Options(unsigned register_limit, bool optimises) {
    add(JitOption::info_log_buffer, info.data());
    add(JitOption::info_log_size, number(log_size));
    add(JitOption::error_log_buffer, error.data());
    add(JitOption::error_log_size, number(log_size));
    add(JitOption::generate_line_info, number(1));
    if (register_limit != 0) add(JitOption::max_registers, number(register_limit));
    if (!optimises) add(JitOption::optimization_level, number(0));
  }
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  unsigned count() const { return static_cast<unsigned>(names.size()); }

 private:
  static void* number(uintptr_t value) { return reinterpret_cast<void*>(value); }
  void add(JitOption name, void* value) {
    names.push_back(name);
    values.push_back(value);
  }
};

/// The text in a buffer that the driver has written, without the line breaks at its end.
std::string text_in(const std::string& buffer) {
  std::string text(buffer.c_str());
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.pop_back();
  return text;
}

/// What the driver has loaded, and what its compiler has said.
struct Loaded {
  Module module = nullptr;
  std::string log;
};

/// Has the driver compile and load PTX in one call.
Driven<Loaded> load_ptx(const GpuContext& context, const PtxCode& ptx, unsigned register_limit) {
  Options options(register_limit, ptx.optimises);
  Loaded loaded;
  auto done =
      context.call(context.api().module_load, &loaded.module, static_cast<const void*>(ptx.text.c_str()),
                   options.count(), options.names.data(), options.values.data());
  if (!done) {
    const std::string log = text_in(options.error);
    return DriverError{done.error().status,
                       log.empty() ? done.error().message : fmt::format("{}\n{}", done.error().message, log)};
  }
  loaded.log = text_in(options.info);
  return loaded;
}

Driven<Loaded> load_cubin(const GpuContext& context, const Cubin& cubin) {
  Loaded loaded;
  if (auto done = context.call(context.api().load_cubin, &loaded.module,
                               static_cast<const void*>(cubin.bytes.data()), cubin.bytes.size());
      !done)
    return done.error();
  loaded.log = cubin.log;
  return loaded;
}

Driven<Cubin> compile(const GpuContext& context, const PtxCode& ptx, unsigned register_limit) {
  Options options(register_limit, ptx.optimises);
  Cubin cubin;
  auto done = context.call(context.api().compile, &cubin.bytes, ptx.text.c_str(), options.count(),
                           static_cast<const JitOption*>(options.names.data()), options.values.data());
  if (!done) return done.error();
  cubin.log = text_in(options.info);
  return cubin;
}

/// Compiles PTX whose entry is missing or was refused by the driver, and loads it. The machine code is kept
/// if the driver loads it. If the linker fails, or the driver refuses its machine code, the loader compiles
/// the PTX, so that errors are the loader's, with its log.
Driven<Loaded> compile_and_keep(const GpuContext& context, const PtxCode& ptx, unsigned register_limit,
                                const CubinEntry& entry) {
  if (auto cubin = compile(context, ptx, register_limit))
    if (auto loaded = load_cubin(context, *cubin)) {
      entry.write(*cubin);
      return loaded;
    }
  auto loaded = load_ptx(context, ptx, register_limit);
  // A driver that does not even load this has no say in whether an entry is good: its context may be lost.
  if (loaded) entry.remove();
  return loaded;
}

Driven<Loaded> load_cached(const GpuContext& context, const PtxCode& ptx, unsigned register_limit,
                           const CubinEntry& entry) {
  if (auto found = entry.read())
    if (auto loaded = load_cubin(context, *found)) return loaded;
  return compile_and_keep(context, ptx, register_limit, entry);
}

/// Whether the PTX has functions, which were not inlined. The linker compiles them in another way than the
/// loader, and the driver knows less about the stack that they need: on an H200, such a kernel accessed
/// addresses that it should not, but not when the loader had compiled it.
bool has_functions(const PtxCode& ptx) { return ptx.text.find(".func") != std::string::npos; }

}  // namespace

Driven<std::shared_ptr<LoadedModule>> LoadedModule::load(GpuContext& context, const PtxCode& ptx,
                                                         unsigned register_limit) {
  std::string warning;
  const auto entry =
      has_functions(ptx) ? std::nullopt : CubinEntry::open(context, ptx, register_limit, warning);
  auto loaded =
      entry ? load_cached(context, ptx, register_limit, *entry) : load_ptx(context, ptx, register_limit);
  if (!loaded) return loaded.error();
  if (!warning.empty() && !loaded->log.empty()) warning += '\n';
  return std::shared_ptr<LoadedModule>(new LoadedModule(context, loaded->module, warning + loaded->log));
}

LoadedModule::~LoadedModule() { static_cast<void>(context_.call(context_.api().module_unload, module_)); }

Driven<Function> LoadedModule::function(const std::string& name) const {
  Function function = nullptr;
  auto done = context_.call(context_.api().module_function, &function, module_, name.c_str());
  if (!done) return DriverError{done.error().status, fmt::format("{}: {}", name, done.error().message)};
  return function;
}

/// The address of an array of so many 64-bit words.
Driven<DeviceAddress> LoadedModule::table(const char* symbol, size_t words) const {
  DeviceAddress address = 0;
  size_t size = 0;
  if (auto done = context_.call(context_.api().module_global, &address, &size, module_, symbol); !done)
    return DriverError{done.error().status, fmt::format("{}: {}", symbol, done.error().message)};
  if (size == words * sizeof(uint64_t)) return address;
  return DriverError{Status::invalid_image,
                     fmt::format("{} has {} bytes instead of {}", symbol, size, words * sizeof(uint64_t))};
}

Driven<void> LoadedModule::fill_addresses(const std::vector<uint64_t>& addresses) const {
  if (addresses.empty()) return {};
  const auto to = table(ptx_kernel::address_table_symbol, addresses.size());
  if (!to) return to.error();
  const DriverApi& api = context_.api();
  if (auto done = api.call(api.copy_to_device, *to, static_cast<const void*>(addresses.data()),
                           addresses.size() * sizeof(uint64_t), Stream{});
      !done)
    return done;
  return api.call(api.stream_synchronize, Stream{});
}

Driven<std::vector<uint64_t>> LoadedModule::function_table(size_t count) const {
  std::vector<uint64_t> words(count);
  if (count == 0) return words;
  const auto from = table(ptx_kernel::function_table_symbol, count);
  if (!from) return from.error();
  const DriverApi& api = context_.api();
  if (auto done = api.call(api.copy_to_host, static_cast<void*>(words.data()), *from,
                           count * sizeof(uint64_t), Stream{});
      !done)
    return done.error();
  if (auto done = api.call(api.stream_synchronize, Stream{}); !done) return done.error();
  return words;
}

}  // namespace heddle::cuda
