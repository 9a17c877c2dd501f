// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The linker, which makes machine code of PTX.
#include <string>

#include "module.h"

namespace heddle::cuda {

/// The options stay where the caller has them, as those of a driver do.
struct LinkObject {
  fake::JitOptions options;
  std::string cubin;
};

}  // namespace heddle::cuda

using namespace heddle::cuda;
using namespace heddle::cuda::fake;

HEDDLE_FAKE Status cuLinkCreate_v2(unsigned count, JitOption* options, void** values, Link* out) {
  if (const Status refused = control().status_before("cuLinkCreate_v2"); refused != Status::success)
    return refused;
  *out = new LinkObject{{count, options, values}, {}};
  ++control().open_links;
  return state_of_context();
}
HEDDLE_FAKE Status cuLinkAddData_v2(Link link, JitInput type, void* data, size_t size, const char*, unsigned,
                                    JitOption*, void**) {
  if (const Status refused = control().status_before("cuLinkAddData_v2"); refused != Status::success)
    return refused;
  const auto* const ptx = static_cast<const char*>(data);
  if (type != JitInput::ptx || size == 0 || ptx[size - 1] != '\0') {
    control().complain("the linker is given something else than a text with PTX");
    return Status::invalid_value;
  }
  std::unique_ptr<ModuleObject> compiled;
  const Status status = compile(ptx, link->options, compiled);
  if (status != Status::success) return status;
  ++control().links;
  link->cubin = make_cubin(ptx, link->options);
  return state_of_context();
}
HEDDLE_FAKE Status cuLinkComplete(Link link, void** cubin, size_t* size) {
  if (const Status refused = control().status_before("cuLinkComplete"); refused != Status::success)
    return refused;
  if (link->cubin.empty()) return Status::invalid_value;
  *cubin = link->cubin.data();
  *size = link->cubin.size() + 1;
  return state_of_context();
}
HEDDLE_FAKE Status cuLinkDestroy(Link link) {
  --control().open_links;
  delete link;
  return state_of_context();
}
