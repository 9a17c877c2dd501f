// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices: which there are, which is current, and waiting for them.
#include <cstring>

#include "functions.h"
#include "hip/core/capture.h"
#include "hip/core/device_info.h"
#include "hip/core/failure.h"
#include "hip/core/registry.h"
#include "hip/core/runtime.h"
#include "hip/core/thread.h"

namespace heddle::hip::api {

hipError_t hipInit(unsigned int flags) { return flags == 0 ? hipSuccess : hipErrorInvalidValue; }

hipError_t hipDriverGetVersion(int* driverVersion) {
  if (driverVersion == nullptr) return hipErrorInvalidValue;
  *driverVersion = version_of_interface;
  return hipSuccess;
}

hipError_t hipRuntimeGetVersion(int* runtimeVersion) { return hipDriverGetVersion(runtimeVersion); }

hipError_t hipGetDeviceCount(int* count) {
  if (count == nullptr) return hipErrorInvalidValue;
  *count = static_cast<int>(Runtime::get().devices().size());
  return hipSuccess;
}

hipError_t hipSetDevice(int deviceId) {
  this_thread().device = Runtime::get().device(deviceId).number();
  return hipSuccess;
}

hipError_t hipGetDevice(int* deviceId) {
  if (deviceId == nullptr) return hipErrorInvalidValue;
  *deviceId = this_thread().device;
  return hipSuccess;
}

hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  if (device == nullptr) return hipErrorInvalidValue;
  *device = Runtime::get().device(ordinal).number();
  return hipSuccess;
}

hipError_t hipDeviceSynchronize() {
  Device& device = Runtime::get().device();
  refuse_if_captured(device);
  device.synchronize();
  return hipSuccess;
}

hipError_t hipDeviceReset() {
  Device& device = Runtime::get().device();
  device.reset();
  Runtime::get().release(device);
  return hipSuccess;
}

hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_tR0000* prop, int deviceId) {
  if (prop == nullptr) return hipErrorInvalidValue;
  *prop = old_properties(Runtime::get().device(deviceId));
  return hipSuccess;
}

hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600* prop, int deviceId) {
  if (prop == nullptr) return hipErrorInvalidValue;
  *prop = properties_for_programs(Runtime::get().device(deviceId));
  return hipSuccess;
}

hipError_t hipDeviceGetAttribute(int* pi, hipDeviceAttribute_t attr, int deviceId) {
  if (pi == nullptr) return hipErrorInvalidValue;
  const auto value = attribute_of(Runtime::get().device(deviceId), attr);
  if (!value) return hipErrorInvalidValue;
  *pi = *value;
  return hipSuccess;
}

hipError_t hipDeviceGetName(char* name, int len, hipDevice_t device) {
  const hipDeviceProp_t properties = properties_for_programs(Runtime::get().device(device));
  if (name == nullptr || len <= 0) return hipErrorInvalidValue;
  if (static_cast<size_t>(len) <= strlen(properties.name)) return hipErrorInvalidValue;
  std::strncpy(name, properties.name, static_cast<size_t>(len));
  return hipSuccess;
}

hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device) {
  if (bytes == nullptr) return hipErrorInvalidValue;
  *bytes = Runtime::get().device(device).properties().memory_size;
  return hipSuccess;
}

hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device) {
  if (major == nullptr || minor == nullptr) return hipErrorInvalidValue;
  const hipDeviceProp_t properties = properties_for_programs(Runtime::get().device(device));
  *major = properties.major;
  *minor = properties.minor;
  return hipSuccess;
}

hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
  if (uuid == nullptr) return hipErrorInvalidValue;
  *uuid = uuid_of(Runtime::get().device(device));
  return hipSuccess;
}

hipError_t hipDeviceGetPCIBusId(char* pciBusId, int len, int device) {
  if (pciBusId == nullptr || len <= 0) return hipErrorInvalidValue;
  const std::string id = pci_bus_id_of(Runtime::get().device(device));
  if (id.size() >= static_cast<size_t>(len)) return hipErrorInvalidValue;
  std::memcpy(pciBusId, id.c_str(), id.size() + 1);
  return hipSuccess;
}

hipError_t hipDeviceGetByPCIBusId(int* device, const char* pciBusId) {
  if (device == nullptr || pciBusId == nullptr) return hipErrorInvalidValue;
  for (const auto& candidate : Runtime::get().devices()) {
    if (pci_bus_id_of(*candidate) != pciBusId) continue;
    *device = candidate->number();
    return hipSuccess;
  }
  return hipErrorInvalidValue;
}

hipError_t hipChooseDeviceR0000(int* device, const hipDeviceProp_tR0000* prop) {
  if (device == nullptr || prop == nullptr) return hipErrorInvalidValue;
  *device = best_device(*prop);
  return hipSuccess;
}

hipError_t hipChooseDeviceR0600(int* device, const hipDeviceProp_tR0600* prop) {
  if (device == nullptr || prop == nullptr) return hipErrorInvalidValue;
  *device = best_device(*prop);
  return hipSuccess;
}

}  // namespace heddle::hip::api
