// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/description.h"

#include <fmt/format.h>
#include <hsam/activity.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <optional>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace heddle::agents {
namespace {

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  file.exceptions(std::ios::badbit);  // running out of memory must not look like an empty line
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::optional<uint64_t> number(const std::string& path) {
  const auto line = first_line(path);
  if (!line) return std::nullopt;
  char* end = nullptr;
  uint64_t value = std::strtoull(line->c_str(), &end, 10);
  if (end == line->c_str()) return std::nullopt;
  if (*end == 'K') value <<= 10;
  if (*end == 'M') value <<= 20;
  return value;
}

/// Value of the first line "key : value" of /proc/cpuinfo; empty if there is none.
std::string cpuinfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  file.exceptions(std::ios::badbit);
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const size_t colon = line.find(':');
    if (colon == std::string::npos || line.find_first_not_of(" \t", key.size()) != colon) continue;
    const size_t value = line.find_first_not_of(" \t", colon + 1);
    return value == std::string::npos ? std::string() : line.substr(value);
  }
  return {};
}

std::string processor_name() {
#if defined(__x86_64__)
  unsigned words[12];
  if (__get_cpuid_max(0x80000000u, nullptr) >= 0x80000004u) {
    for (size_t i = 0; i < 3; ++i)
      __get_cpuid(0x80000002u + static_cast<unsigned>(i), &words[4 * i], &words[4 * i + 1], &words[4 * i + 2],
                  &words[4 * i + 3]);
    std::string name(reinterpret_cast<const char*>(words), sizeof words);
    name.resize(std::strlen(name.c_str()));
    const size_t first = name.find_first_not_of(' ');
    if (first != std::string::npos)
      return name.substr(first, name.find_last_not_of(' ') - first + 1).substr(0, 63);
  }
#endif
  const std::string name = cpuinfo("model name");
  return name.empty() ? "CPU" : name.substr(0, 63);
}

std::string processor_vendor() {
  const std::string id = cpuinfo("vendor_id");
  if (id == "GenuineIntel") return "Intel";
  if (id == "AuthenticAMD") return "AMD";
  return id.empty() ? "CPU" : id.substr(0, 63);
}

uint64_t clock_frequency() {
  if (const auto khz = number("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")) return *khz * 1000;
  return static_cast<uint64_t>(std::strtod(cpuinfo("cpu MHz").c_str(), nullptr) * 1e6);
}

void find_caches(HostDescription& host) {
  struct Found {
    uint64_t level, size, line;
    std::string type;
  };
  std::vector<Found> found;
  for (int index = 0; index < 16; ++index) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", index);
    const auto type = first_line(folder + "type");
    if (!type) break;
    const auto level = number(folder + "level");
    const auto size = number(folder + "size");
    if (*type == "Instruction" || !level || !size) continue;
    found.push_back({*level, *size, number(folder + "coherency_line_size").value_or(64), *type});
  }
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  if (found.empty()) {
    const int names[3] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
    for (uint64_t level = 1; level <= 3; ++level)
      if (const long size = sysconf(names[level - 1]); size > 0)
        found.push_back({level, static_cast<uint64_t>(size), 64, level == 1 ? "Data" : "Unified"});
  }
#endif
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.level < b.level; });
  for (const Found& f : found) host.cache_names.push_back(fmt::format("L{} {}", f.level, f.type));
  for (size_t i = 0; i < found.size(); ++i)
    host.caches.push_back({host.cache_names[i].c_str(), static_cast<uint8_t>(found[i].level),
                           static_cast<uint32_t>(std::min<uint64_t>(found[i].size, UINT32_MAX)),
                           static_cast<uint32_t>(found[i].line)});
}

uint32_t usable_processors() {
  // The operating system refuses a set that is too small for its processors, so larger ones are tried.
  for (int count = 1024; count <= 1 << 20; count *= 2) {
    cpu_set_t* set = CPU_ALLOC(count);
    if (!set) break;
    const size_t size = CPU_ALLOC_SIZE(count);
    const bool ok = sched_getaffinity(0, size, set) == 0;
    const int usable = ok ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (usable > 0) return static_cast<uint32_t>(usable);
  }
  return static_cast<uint32_t>(std::max(1l, sysconf(_SC_NPROCESSORS_ONLN)));
}

HostDescription describe() {
  HostDescription host;
  host.name = processor_name();
  host.vendor = processor_vendor();
  host.clock_frequency = clock_frequency();
  host.memory = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  host.processors = usable_processors();
  find_caches(host);
  return host;
}

hsam_region_description global_region(uint64_t memory_id, uint32_t flags) {
  hsam_region_description region = {};
  region.segment = HSAM_SEGMENT_GLOBAL;
  region.global_flags = flags;
  region.size = host_description().memory;
  region.alloc_max_size = host_description().memory;
  region.runtime_alloc_allowed = 1;
  region.alloc_granule = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  region.alloc_alignment = region.alloc_granule;
  region.memory_id = memory_id;
  return region;
}

/// A region of a segment that the runtime does not allocate; its maximum size is what a dispatch may ask for
/// (Runtime 2.7.4.4). Granule and alignment have no meaning there and are powers of 2 for programs that read
/// them all the same.
hsam_region_description other_region(hsam_segment segment, uint64_t size, uint64_t memory_id) {
  hsam_region_description region = {};
  region.segment = segment;
  region.size = size;
  region.alloc_max_size = size;
  region.alloc_granule = region.alloc_alignment = 64;
  region.memory_id = memory_id;
  return region;
}

}  // namespace

const HostDescription& host_description() {
  static const HostDescription* host = new HostDescription(describe());
  return *host;
}

int host_x86_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return 4;
  if (__builtin_cpu_supports("x86-64-v3")) return 3;
  if (__builtin_cpu_supports("x86-64-v2")) return 2;
#endif
  return 0;
}

namespace {

struct X86Isa {
  int level;
  uint32_t wavefront_size;
  const char* name;
};

/// In the order in which agents list them. Programs that do not choose get the first that the processor
/// executes: the one in which most kernels of bench/ run fastest (bench/results).
constexpr X86Isa x86_isa_rows[] = {
    {4, 16, "heddle:x86-64-v4:w16"}, {3, 8, "heddle:x86-64-v3:w8"}, {3, 32, "heddle:x86-64-v3:w32"},
    {4, 32, "heddle:x86-64-v4:w32"}, {4, 4, "heddle:x86-64-v4:w4"}, {4, 1, "heddle:x86-64-v4:w1"},
    {3, 4, "heddle:x86-64-v3:w4"},   {3, 1, "heddle:x86-64-v3:w1"}, {2, 1, "heddle:x86-64-v2:w1"},
};

/// Returns the names of all ISAs up to a level, which a processor of that level executes. Null-terminated.
const char* const* names_up_to(int level) {
  static const auto* names = [] {
    auto* made = new std::array<std::vector<const char*>, 5>;
    for (int of = 0; of < 5; ++of) {
      for (const X86Isa& isa : x86_isa_rows)
        if (isa.level <= of) (*made)[of].push_back(isa.name);
      (*made)[of].push_back(nullptr);
    }
    return made;
  }();
  return names->at(level).data();
}

}  // namespace

std::vector<hsam_isa_description> x86_isas(int level) {
  std::vector<hsam_isa_description> isas;
  for (const X86Isa& row : x86_isa_rows) {
    if (row.level > level) continue;
    isas.push_back(host_isa(row.name, row.wavefront_size));
    isas.back().also_executes = names_up_to(row.level);
  }
  return isas;
}

std::vector<hsam_region_description> host_regions() {
  return {global_region(HSAM_MEMORY_HOST_KERNARG, HSAM_GLOBAL_FLAG_FINE_GRAINED | HSAM_GLOBAL_FLAG_KERNARG),
          global_region(HSAM_MEMORY_HOST_FINE, HSAM_GLOBAL_FLAG_FINE_GRAINED),
          global_region(HSAM_MEMORY_HOST_COARSE, HSAM_GLOBAL_FLAG_COARSE_GRAINED)};
}

std::vector<hsam_region_description> kernel_agent_regions(const SegmentSizes& sizes) {
  auto private_region =
      other_region(HSAM_SEGMENT_PRIVATE, sizes.private_work_item, HSAM_MEMORY_AGENT_FIRST + 1);
  private_region.alloc_max_private_workgroup_size =
      static_cast<uint32_t>(std::min<uint64_t>(sizes.private_group, UINT32_MAX));
  return {global_region(HSAM_MEMORY_HOST_KERNARG, HSAM_GLOBAL_FLAG_FINE_GRAINED | HSAM_GLOBAL_FLAG_KERNARG),
          global_region(HSAM_MEMORY_HOST_COARSE, HSAM_GLOBAL_FLAG_COARSE_GRAINED),
          global_region(HSAM_MEMORY_HOST_FINE, HSAM_GLOBAL_FLAG_FINE_GRAINED),
          other_region(HSAM_SEGMENT_GROUP, sizes.group, HSAM_MEMORY_AGENT_FIRST),
          private_region,
          other_region(HSAM_SEGMENT_READONLY, host_description().memory, HSAM_MEMORY_AGENT_FIRST + 2)};
}

hsam_isa_description host_isa(const char* name, uint32_t wavefront_size) {
  constexpr uint32_t group_items = 1024;
  constexpr uint8_t zero_and_near =
      1u << HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO | 1u << HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
  hsam_isa_description isa = {};
  isa.name = name;
  isa.wavefront_size = wavefront_size;
  isa.machine_models[HSA_MACHINE_MODEL_LARGE] = 1;
  isa.profiles[HSA_PROFILE_BASE] = isa.profiles[HSA_PROFILE_FULL] = 1;
  isa.default_float_rounding_modes = 1u << HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT | zero_and_near;
  isa.base_profile_default_float_rounding_modes = zero_and_near;
  isa.mad_is_fused = 1;
  std::fill(std::begin(isa.workgroup_max_dim), std::end(isa.workgroup_max_dim), group_items);
  isa.workgroup_max_size = group_items;
  isa.grid_max_dim = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  isa.grid_max_size = UINT64_MAX;
  isa.fbarrier_max_size = 1024;
  return isa;
}

namespace {

/// The configuration that all agents on the host have in common. They take page faults as any thread does, so
/// they ask for no locked memory (MVA 2.5.2, safe-to-access), which is scarce for users who are not root.
hsa_agent_driver_config on_the_host(const char* name, const char* vendor,
                                    const std::vector<hsam_region_description>& regions) {
  const HostDescription& host = host_description();
  hsa_agent_driver_config config = {};
  config.major = HSAM_VERSION_MAJOR;
  config.minor = HSAM_VERSION_MINOR;
  config.name = name;
  config.profile = HSA_PROFILE_FULL;
  config.page_faults = 1;
  config.tail_size = sizeof config;
  config.vendor_name = vendor;
  config.device = HSA_DEVICE_TYPE_CPU;
  config.default_float_rounding_mode = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
  config.compute_unit_count = host.processors;
  config.max_clock_frequency = host.clock_frequency;
  config.regions = regions.data();
  config.region_count = static_cast<uint32_t>(regions.size());
  config.caches = host.caches.data();
  config.cache_count = static_cast<uint32_t>(host.caches.size());
  return config;
}

}  // namespace

hsa_agent_driver_config host_config(const std::vector<hsam_region_description>& regions) {
  return on_the_host(host_description().name.c_str(), host_description().vendor.c_str(), regions);
}

hsa_agent_driver_config kernel_agent_config(const char* name, const char* vendor,
                                            const std::vector<hsam_region_description>& regions,
                                            const std::vector<hsam_isa_description>& isas) {
  hsa_agent_driver_config config = on_the_host(name, vendor, regions);
  config.features = HSA_AGENT_FEATURE_KERNEL_DISPATCH;
  config.host_images = 1;
  config.activities = HSAM_ACTIVITY_PACKET | HSAM_ACTIVITY_DISPATCH | HSAM_ACTIVITY_COMPUTE_UNIT |
                      HSAM_ACTIVITY_BARRIER | HSAM_ACTIVITY_EVENT;
  config.queues_max = 128;  // some programs create this many at once, in arrays on their stack
  config.queue_min_size = 64;
  config.queue_max_size = 131072;
  config.queue_type = HSA_QUEUE_TYPE_MULTI;
  config.group_segment_type = HSA_AGENT_GROUP_SEGMENT_INFO_CACHED_GLOBAL;
  config.isas = isas.data();
  config.isa_count = static_cast<uint32_t>(isas.size());
  return config;
}

}  // namespace heddle::agents
