// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The services of the generic driver for agent drivers (MVA 2.6 to 2.11): the functions of
// hsa_generic_driver_interface, and the clients to which they refer.
#pragma once

#include <cstdint>

#include <hsam/hsam.h>

namespace heddle::driver {

class Connections;
class Memory;
class Queues;
class Signals;

/// The parts of a client that agents can reach.
struct ClientParts {
  Connections* connections;
  Signals* signals;
  Queues* queues;
  Memory* memory;
};

/// Returns a handle for a new client. A handle is never used twice.
int64_t new_client_handle();
/// Agents may refer to a client from enlist to delist. delist_client() waits for the end of requests in
/// progress.
void enlist_client(int64_t handle, const ClientParts& parts);
void delist_client(int64_t handle);

/// Handles an INACTIVE destination that a sender found (hsam_signal_hooks).
void signal_destination_unreachable(hsa_signal_object* signal, int64_t device_driver_id);

}  // namespace heddle::driver
