// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/gpu_memo.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "cache/settings.h"
#include "support/descriptor.h"

namespace heddle::cuda {
namespace {

/// The first word of the file. Its number changes with the format and with the members of GpuProperties.
constexpr std::string_view format_name = "heddle-gpus-2";

constexpr const char* driver_folder = "/proc/driver/nvidia";

/// Calls a function with each number of a GPU, always in the same order.
template <typename Gpu, typename Function>
void for_each_number(Gpu& gpu, Function function) {
  function(gpu.number);
  function(gpu.capability);
  function(gpu.memory);
  function(gpu.clock_frequency);
  function(gpu.multiprocessors);
  function(gpu.warp_size);
  function(gpu.l2_size);
  function(gpu.l1_size);
  function(gpu.group_memory);
  function(gpu.group_max_size);
  for (auto& size : gpu.group_max_dim) function(size);
  for (auto& blocks : gpu.grid_max_blocks) function(blocks);
  function(gpu.registers_of_a_block);
  function(gpu.resident_threads);
  function(gpu.pci_bus);
  function(gpu.pci_device);
  function(gpu.pci_domain);
  function(gpu.peers);
  function(gpu.atomic_peers);
}

/// Returns all bytes of a file; empty if it cannot be read. Files of /proc do not tell their sizes.
std::string contents(int file) {
  std::string bytes;
  char part[4096];
  for (ssize_t got = 0; (got = ::read(file, part, sizeof part)) > 0;)
    bytes.append(part, static_cast<size_t>(got));
  return bytes;
}

std::string contents(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file ? contents(file.number()) : std::string();
}

/// Returns the names in a folder that begin with `prefix`, in order. std::filesystem is not used, because its
/// iterator ends the process when memory is exhausted.
std::vector<std::string> names_in(const std::string& folder, std::string_view prefix) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.c_str()), closedir);
  std::vector<std::string> names;
  while (const dirent* entry = open ? readdir(open.get()) : nullptr)
    if (const std::string_view name = entry->d_name; name.starts_with(prefix) && !name.starts_with('.'))
      names.emplace_back(name);
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> variables_for_cuda() {
  std::vector<std::string> found;
  for (char** entry = environ; entry && *entry; ++entry)
    if (std::string_view(*entry).starts_with("CUDA_")) found.emplace_back(*entry);
  std::ranges::sort(found);
  return found;
}

/// FNV-1a. It finds files that a crash of the machine has left in pieces.
uint64_t digest_of(std::string_view bytes) {
  uint64_t digest = 0xcbf29ce484222325;
  for (const char byte : bytes) digest = (digest ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return digest;
}

std::string line_of(const GpuProperties& gpu) {
  std::string line;
  for_each_number(gpu, [&](auto number) { line += fmt::format("{} ", number); });
  return line + gpu.name + "\n";
}

/// Takes the text up to a separator from the beginning of `rest`; nothing if there is no separator.
std::optional<std::string_view> take_until(char separator, std::string_view& rest) {
  const size_t end = rest.find(separator);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return taken;
}

std::optional<GpuProperties> read_line(std::string_view line) {
  GpuProperties gpu;
  bool good = true;
  for_each_number(gpu, [&](auto& number) {
    const auto word = good ? take_until(' ', line) : std::nullopt;
    good = word && std::from_chars(word->data(), word->data() + word->size(), number).ec == std::errc();
  });
  gpu.name = line;
  return good ? std::optional(std::move(gpu)) : std::nullopt;
}

std::optional<std::vector<GpuProperties>> read_lines(std::string_view text) {
  std::vector<GpuProperties> gpus;
  while (!text.empty()) {
    const auto line = take_until('\n', text);
    auto gpu = line ? read_line(*line) : std::nullopt;
    if (!gpu) return std::nullopt;
    gpus.push_back(std::move(*gpu));
  }
  return gpus;
}

/// Creates a folder and those above it, for the user only. Whether it worked shows when a file is made there.
void create_folders(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    ::mkdir(path.substr(0, slash).c_str(), S_IRWXU);
  ::mkdir(path.c_str(), S_IRWXU);
}

/// Whether only the user of this process can have written a file.
bool is_private(int file) {
  struct stat status;
  return ::fstat(file, &status) == 0 && status.st_uid == ::geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

std::string driver_build(const std::string& root) { return contents(root + driver_folder + "/version"); }

std::string describe_machine(const std::string& root) {
  const std::string driver = root + driver_folder;
  const std::string version = driver_build(root);
  if (version.empty()) return {};
  std::string machine = version;
  for (const std::string& gpu : names_in(driver + "/gpus", ""))
    machine += fmt::format("{}\n{}", gpu, contents(fmt::format("{}/gpus/{}/information", driver, gpu)));
  for (const std::string& device : names_in(root + "/dev", "nvidia"))
    if (access(fmt::format("{}/dev/{}", root, device).c_str(), R_OK | W_OK) == 0)
      machine.append(device).append("\n");
  machine += contents(root + "/proc/self/cgroup");
  for (const std::string& entry : variables_for_cuda()) machine.append(entry).append("\n");
  return machine;
}

GpuMemo::GpuMemo(std::string folder, std::string machine)
    : folder_(std::move(folder)), machine_(std::move(machine)) {}

std::optional<std::vector<GpuProperties>> GpuMemo::read() const {
  const Descriptor file(::open(path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file || !is_private(file.number())) return std::nullopt;
  const std::string bytes = contents(file.number());
  std::string_view rest = bytes;
  const auto name = take_until(' ', rest), digest = take_until('\n', rest);
  if (!name || !digest || *name != format_name || *digest != fmt::format("{:016x}", digest_of(rest)))
    return std::nullopt;
  if (!rest.starts_with(machine_)) return std::nullopt;
  rest.remove_prefix(machine_.size());
  // A zero byte, which no machine has in its description, says where the GPUs begin.
  if (!rest.starts_with('\0')) return std::nullopt;
  return read_lines(rest.substr(1));
}

void GpuMemo::write(const std::vector<GpuProperties>& gpus) const {
  std::string text = machine_ + '\0';
  for (const GpuProperties& gpu : gpus) text += line_of(gpu);
  text = fmt::format("{} {:016x}\n", format_name, digest_of(text)) + text;
  create_folders(folder_);
  std::string unfinished = path() + ".XXXXXX";
  const Descriptor file(::mkostemp(unfinished.data(), O_CLOEXEC));
  if (!file) return;
  const bool whole = ::write(file.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (!whole || ::rename(unfinished.c_str(), path().c_str()) != 0) ::unlink(unfinished.c_str());
}

void GpuMemo::forget() const { ::unlink(path().c_str()); }

std::string memo_folder() {
  Diagnostics ignored;  // those who use the cache report them
  return cache::read_settings(secure_getenv, ignored).folder;
}

}  // namespace heddle::cuda
