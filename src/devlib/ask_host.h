// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a work-item asks the host for something (codeobject/ptx_dispatch.h: MailboxSlot). Whoever includes this
// defines before it how memory is accessed and how a work-item pauses: the device library for GPUs, and tests
// for threads that play a GPU.
#pragma once

// What a request says.
struct HostRequest {
  uint32_t kind, operation, is_signed, size;
  uint64_t address, value, second;
};

// Takes a slot for the work-item. Returns its claim, and its number.
static inline uint64_t* claim_slot(const Hidden* hidden, const Mailbox* mailbox, uint64_t* number) {
  uint64_t* const words = (uint64_t*)mailbox->words;
  for (;;) {
    *number = add_relaxed_agent(words, 1) & (mailbox->slots - 1);
    uint64_t* const claim = words + 1 + *number;
    if (claim_agent(claim)) return claim;
    end_if_stopped(hidden);
    pause_long();
  }
}

// Posts a request and waits for the answer. Returns the result, and the number of the wait if there is none
// yet.
static inline uint64_t ask_once(const Hidden* hidden, HostRequest request, uint64_t* wait) {
  Mailbox* const mailbox = (Mailbox*)hidden->mailbox;
  uint64_t number;
  uint64_t* const claim = claim_slot(hidden, mailbox, &number);
  MailboxSlot* const slot = (MailboxSlot*)(mailbox + 1) + number;
  slot->kind = request.kind;
  slot->operation = request.operation;
  slot->is_signed = request.is_signed;
  slot->size = request.size;
  slot->address = request.address;
  slot->value = request.value;
  slot->second = request.second;
  fence_system();
  store_release_system(&slot->state, MailboxSlot::posted);
  while (load_acquire_system(&slot->state) != MailboxSlot::answered) {
    end_if_stopped(hidden);
    pause();
  }
  const uint64_t result = slot->result;
  *wait = slot->wait;
  fence_system();
  release_agent(claim);
  return result;
}

static inline uint64_t ask_host(const Hidden* hidden, HostRequest request) {
  uint64_t wait;
  uint64_t result = ask_once(hidden, request, &wait);
  if (request.kind != MailboxSlot::signal) return result;
  while (wait != 0) {
    end_if_stopped(hidden);
    pause_long();
    request.kind = MailboxSlot::wait_again;
    request.address = wait;
    result = ask_once(hidden, request, &wait);
  }
  return result;
}
