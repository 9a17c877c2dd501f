// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/amd/dmabuf.h"

#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "driver/log.h"
#include "runtime/amd/state.h"
#include "runtime/amd/system_memory.h"
#include "runtime/api/api.h"
#include "support/align.h"
#include "support/descriptor.h"

namespace heddle::runtime::amd {

namespace {

/// Opens the device that makes dma-bufs of anonymous files; none if there is no such device, or if it is not
/// ours to open.
Descriptor open_device() { return Descriptor(open("/dev/udmabuf", O_RDWR | O_CLOEXEC)); }

/// Makes a dma-buf of whole pages of a file; -1 if the system refuses.
int make_dmabuf(int file, uint64_t offset, uint64_t size) {
  const Descriptor device = open_device();
  if (!device) return -1;
  udmabuf_create request = {};
  request.memfd = static_cast<uint32_t>(file);
  request.flags = UDMABUF_FLAGS_CLOEXEC;
  request.offset = offset;
  request.size = size;
  return ioctl(device.number(), UDMABUF_CREATE, &request);
}

}  // namespace

bool has_dmabuf() { return static_cast<bool>(open_device()); }

}  // namespace heddle::runtime::amd

using namespace heddle::runtime;

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_portable_export_dmabuf(const void* ptr, size_t size, int* dmabuf, uint64_t* offset) {
  return api::guard([&](Runtime& runtime) {
    if (ptr == nullptr || size == 0 || dmabuf == nullptr || offset == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto info = runtime.client().find(ptr);
    if (!info || info->region == nullptr) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    const auto begin = reinterpret_cast<uintptr_t>(ptr) - reinterpret_cast<uintptr_t>(info->base);
    if (size > info->size - begin) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    const auto place = runtime.client().detachable_place_of(info->base);
    if (!place) return HSA_STATUS_ERROR_INVALID_AGENT;
    const uint64_t page = amd::page_size(), first = begin / page * page;
    const int made =
        amd::make_dmabuf(place->file, place->offset + first, heddle::align_up(begin + size, page) - first);
    if (made < 0) {
      heddle::driver::log_warning("the system makes no dma-buf (/dev/udmabuf): {}", std::strerror(errno));
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    *dmabuf = made;
    *offset = begin - first;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_portable_close_dmabuf(int dmabuf) {
  return api::guard(
      [&](Runtime&) { return close(dmabuf) == 0 ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_RESOURCE_FREE; });
}

}  // namespace heddle::runtime::functions
