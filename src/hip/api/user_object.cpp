// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// References of programs and graphs to objects of programs.
#include "hip/core/user_object.h"

#include <climits>

#include "functions.h"
#include "hip/core/failure.h"
#include "hip/core/graph.h"

namespace heddle::hip::api {
namespace {

bool is_count(unsigned count) { return count != 0 && count <= INT_MAX; }

}  // namespace

hipError_t hipUserObjectCreate(hipUserObject_t* object_out, void* ptr, hipHostFn_t destroy,
                               unsigned int initialRefcount, unsigned int flags) {
  if (object_out == nullptr || destroy == nullptr || !is_count(initialRefcount) ||
      flags != hipUserObjectNoDestructorSync)
    return hipErrorInvalidValue;
  *object_out = add_user_object(ptr, destroy, initialRefcount);
  return hipSuccess;
}

hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned int count) {
  if (!is_count(count)) return hipErrorInvalidValue;
  change_references(object, count);
  return hipSuccess;
}

hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned int count) {
  if (!is_count(count)) return hipErrorInvalidValue;
  change_references(object, -int64_t{count});
  return hipSuccess;
}

hipError_t hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object, unsigned int count,
                                    unsigned int flags) {
  if (!is_count(count) || (flags & ~unsigned{hipGraphUserObjectMove}) != 0) return hipErrorInvalidValue;
  const auto kept = find_user_object(object);  // its function is called without the lock
  const auto held = graphs_lock();
  const auto found = find_graph(graph);
  unsigned& references = found->user_objects[kept];
  if (references > INT_MAX - count) return hipErrorInvalidValue;
  if (flags == hipGraphUserObjectMove) {
    try {
      change_references(object, -int64_t{count});
    } catch (...) {
      if (references == 0) found->user_objects.erase(kept);
      throw;
    }
  }
  references += count;
  return hipSuccess;
}

hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object, unsigned int count) {
  if (!is_count(count)) return hipErrorInvalidValue;
  const auto kept = find_user_object(object);  // its function is called without the lock
  const auto held = graphs_lock();
  const auto found = find_graph(graph);
  const auto entry = found->user_objects.find(kept);
  if (entry == found->user_objects.end() || entry->second < count) return hipErrorInvalidValue;
  entry->second -= count;
  if (entry->second == 0) found->user_objects.erase(entry);
  return hipSuccess;
}

}  // namespace heddle::hip::api
