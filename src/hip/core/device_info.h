// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs are told about devices.
#pragma once

#include <hip/runtime/types.h>

#include <optional>
#include <string>

namespace heddle::hip {

class Device;

/// The version of HIP whose interface the library has, as HIP counts: 5.2.21153.
inline constexpr int version_of_interface = 50221153;

hipDeviceProp_t properties_for_programs(const Device& device);
/// Returns the properties as programs of HIP 5 know them.
hipDeviceProp_tR0000 old_properties(const Device& device);
hipUUID uuid_of(const Device& device);
/// Returns an attribute; nullopt if devices do not have it.
std::optional<int> attribute_of(const Device& device, hipDeviceAttribute_t attribute);
/// Returns domain:bus:device.function in hexadecimal digits.
std::string pci_bus_id_of(const Device& device);
/// Returns the number of the device that has most of what is asked for; members that are 0 do not count.
int best_device(const hipDeviceProp_tR0000& wanted);
int best_device(const hipDeviceProp_tR0600& wanted);

}  // namespace heddle::hip
