// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What agent drivers ask of the generic driver (MVA 2.6 to 2.11): the functions of
// hsa_generic_driver_interface, and the clients that they name.
#pragma once

#include <cstdint>

#include <hsam/hsam.h>

namespace heddle::driver {

class Connections;
class Queues;
class Signals;

/// The parts of a client that agents can reach.
struct ClientParts {
  Connections* connections;
  Signals* signals;
  Queues* queues;
};

/// A handle for a new client, never given out twice.
int64_t new_client_handle();
/// From enlist to delist, agents may name the client. delist waits for requests that are under way.
void enlist_client(int64_t handle, const ClientParts& parts);
void delist_client(int64_t handle);

/// What a sender calls when it finds an INACTIVE destination (hsam_signal_hooks).
void signal_destination_unreachable(hsa_signal_object* signal, int64_t device_driver_id);

}  // namespace heddle::driver
