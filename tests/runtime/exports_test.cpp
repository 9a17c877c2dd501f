// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that the shared library exports: binaries for other HSA runtimes find every function under
// its version.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <fstream>
#include <set>
#include <string>

#include "fixture.h"

namespace heddle::runtime::test {
namespace {

TEST(Exports, EveryFunctionHasItsVersion) {
  void* library = dlopen("libhsa-runtime64.so.1", RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  std::ifstream names(HEDDLE_FUNCTION_NAMES);
  std::string line;
  int count = 0;
  while (std::getline(names, line)) {
    // Each line has one prototype, with the name in front of the first parenthesis.
    const size_t end = line.find('(');
    if (line.starts_with('#') || end == std::string::npos) continue;
    const size_t space = line.find_last_of(" *", end);
    const std::string name = line.substr(space + 1, end - space - 1);
    EXPECT_NE(dlvsym(library, name.c_str(), "ROCR_1"), nullptr) << name;
    EXPECT_EQ(dlvsym(library, name.c_str(), "ROCR_1"), dlsym(library, name.c_str())) << name;
    ++count;
  }
  constexpr int of_manual = 238, old_names = 21, of_amd = 49 + 20 + 3, of_amd_loader = 7, of_pc_sampling = 7;
  EXPECT_EQ(count, of_manual + old_names + of_amd + of_amd_loader + of_pc_sampling);
  EXPECT_NE(dlvsym(library, "hsa_register_agent", "HSAM_1.1"), nullptr);
  EXPECT_EQ(dlvsym(library, "hsa_register_agent", "ROCR_1"), nullptr);
}

/// Returns the names of the functions that a library exports.
std::set<std::string> exported_functions(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return {};
  const ElfW(Sym)* symbols = nullptr;
  const char* strings = nullptr;
  const uint32_t* hash = nullptr;  // of the GNU form, which every linker of today makes
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_GNU_HASH) hash = reinterpret_cast<const uint32_t*>(entry->d_un.d_ptr);
  }
  if (symbols == nullptr || strings == nullptr || hash == nullptr) return {};
  // The table has buckets, whose values are the first symbols of chains; the last word of a chain is odd.
  const uint32_t bucket_count = hash[0], first = hash[1], bloom_size = hash[2];
  const uint32_t* buckets = hash + 4 + bloom_size * (sizeof(ElfW(Addr)) / 4);
  const uint32_t* chains = buckets + bucket_count;
  std::set<std::string> names;
  for (uint32_t bucket = 0; bucket < bucket_count; ++bucket)
    for (uint32_t i = buckets[bucket]; i >= first; ++i) {
      if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC) names.insert(strings + symbols[i].st_name);
      if ((chains[i - first] & 1) != 0) break;
    }
  return names;
}

/// Beside the functions of the manual there are those of vendors and of the driver boundary.
TEST(Exports, TheFunctionsOfTheManualAndNoOthers) {
  void* library = dlopen("libhsa-runtime64.so.1", RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  std::set<std::string> manual, exported;
  std::ifstream names(HEDDLE_MANUAL_FUNCTIONS);
  for (std::string line; std::getline(names, line);)
    if (!line.starts_with('#')) manual.insert(line);
  ASSERT_EQ(manual.size(), 238u + 21u);
  for (const std::string& name : exported_functions(library))
    if (!name.starts_with("hsa_amd_") && !name.starts_with("hsa_ven_") && name != "hsa_register_agent")
      exported.insert(name);
  EXPECT_EQ(exported, manual);
}

/// The names of HSA 1.0 are the same functions, not copies. The test asks the dynamic linker, because a
/// compiler takes two names for two functions.
TEST(Exports, OldNamesAreSynonyms) {
  void* library = dlopen("libhsa-runtime64.so.1", RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto same = [&](const std::string& old_name, const std::string& new_name) {
    ASSERT_NE(dlsym(library, new_name.c_str()), nullptr) << new_name;
    EXPECT_EQ(dlsym(library, old_name.c_str()), dlsym(library, new_name.c_str())) << old_name;
  };
  const std::pair<const char*, const char*> orders[] = {
      {"acq_rel", "scacq_screl"}, {"acquire", "scacquire"}, {"release", "screlease"}};
  for (const auto& [old_order, new_order] : orders)
    for (const std::string prefix :
         {"hsa_signal_exchange_", "hsa_signal_cas_", "hsa_signal_add_", "hsa_signal_subtract_",
          "hsa_signal_and_", "hsa_signal_or_", "hsa_signal_xor_", "hsa_queue_cas_write_index_",
          "hsa_queue_add_write_index_"})
      same(prefix + old_order, prefix + new_order);
  same("hsa_signal_load_acquire", "hsa_signal_load_scacquire");
  same("hsa_signal_store_release", "hsa_signal_store_screlease");
  same("hsa_signal_wait_acquire", "hsa_signal_wait_scacquire");
  same("hsa_queue_load_read_index_acquire", "hsa_queue_load_read_index_scacquire");
  same("hsa_queue_load_write_index_acquire", "hsa_queue_load_write_index_scacquire");
  same("hsa_queue_store_write_index_release", "hsa_queue_store_write_index_screlease");
  same("hsa_queue_store_read_index_release", "hsa_queue_store_read_index_screlease");
  same("hsa_ext_profiling_event_init", "hsa_ext_profile_event_init");
  std::ifstream names(HEDDLE_MANUAL_FUNCTIONS);
  const std::string old_prefix = "hsa_ext_profiling_event_";
  for (std::string line; std::getline(names, line);)
    if (line.starts_with(old_prefix)) same(line, "hsa_ext_profile_event_" + line.substr(old_prefix.size()));
}

}  // namespace
}  // namespace heddle::runtime::test
