/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Operations on signals (MVA 3.11, Runtime 2.4) for all code on the host that uses them: the API, packet
 * processors, and worker threads that execute kernels. C99 with GNU atomics, or C++. All of it is inline: a
 * send to a signal that nobody waits for is one atomic instruction and two loads of the same cache line.
 *
 * The send protocol. A send changes the value. Then it looks at two words of the block: `waiters` (host
 * threads that registered a condition) and `attached` (destination roots with doorbells, group nodes or an
 * INACTIVE state). All three accesses are sequentially consistent, and a waiter registers before it reads the
 * value; so either the sender sees the waiter or the waiter sees the value, and no wake-up is lost.
 *
 * The wait protocol. A waiting thread polls for a bounded time; then it links a record with its condition to
 * the signal, reads the value once more and sleeps. A sender that finds records tests a value against each,
 * and wakes exactly those threads whose condition it met. The waits on several signals are one sleeping
 * thread with several records.
 *
 * Which value. A sender that sees `waiters` before it changes the value holds the lock over the list from
 * then until it has tested its own value against the records. A condition that held for one moment between
 * two sends therefore still ends the wait (Runtime 2.4.1.40: must return if the condition held at some
 * point), although a thread that only polled would miss it. A sender that sees `waiters` only after its
 * change does not know whether a record was there in time: perhaps another wait has already ended with its
 * value, and the record belongs to the next one, which must not end with the same value again. It tests the
 * value that the signal has by then. Whoever replaced its own value tests the next one in turn. A wait that
 * begins during a send can thus miss the value of that send if another replaces it at once, as if the wait
 * had begun a moment later, which nobody can tell apart. Nor does such a sender end waits for the next signal
 * in the memory of one that was destroyed.
 *
 * Memory orders: every send is a sequentially consistent read-modify-write, whatever its name promises,
 * because the protocol needs the order between value and `waiters`. The names are kept since they say what
 * the caller relies on.
 *
 * Signals that several processes share (HSAM_SIGNAL_SHARED). The value lies in memory that they share; each
 * process has a list of wait records of its own. A sender that sees waiters tests its value against the list
 * of its own process, and then wakes a thread of each other process, which tests the value that it finds
 * against the list there. Such a thread can miss a value that is replaced at once.
 *
 * Thread safety: all functions may be called from all threads at any time, on live signals.
 */
#ifndef HSAM_SIGNAL_H_
#define HSAM_SIGNAL_H_

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <hsam/hsam.h>

#if !defined(CLOCK_MONOTONIC) || !defined(_DEFAULT_SOURCE)
#error "hsam/signal.h needs clock_gettime and syscall: compile as gnu99, gnu11, ... or define _DEFAULT_SOURCE"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the system timestamp, HSA_SYSTEM_INFO_TIMESTAMP -------------------------------------------------- */

/* Ticks of the system timestamp in a second: inside the 1 to 400 MHz that the PRM asks of the clock
 * instruction. */
#define HSAM_TIMESTAMP_FREQUENCY 100000000ull
/* Nanoseconds in a tick. */
#define HSAM_TIMESTAMP_NANOSECONDS 10ull

/* Monotonic, the same for all threads and agents of the machine; counts from an arbitrary start. */
static inline uint64_t hsam_timestamp(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * HSAM_TIMESTAMP_FREQUENCY + (uint64_t)now.tv_nsec / HSAM_TIMESTAMP_NANOSECONDS;
}

/* The tick at which a timeout that begins at `now` ends; UINT64_MAX = never. */
static inline uint64_t hsam_deadline(uint64_t now, uint64_t timeout) {
  return timeout > UINT64_MAX - now ? UINT64_MAX : now + timeout;
}

static inline void hsam_cpu_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

/* Fetches the cache line for a write that follows. A read alone would fetch it in a state that the write has
 * to change by a second message to the other processors. Compilers use the instruction for x86-64 only where
 * they are told that it exists; processors that lack it ignore it. */
static inline void hsam_prefetch_for_write(const void* address) {
#if defined(__x86_64__)
  __asm__ __volatile__("prefetchw %0" : : "m"(*(const char*)address));
#else
  __builtin_prefetch(address, 1);
#endif
}

/* ---- futex --------------------------------------------------------------------------------------------- */

/* How long a thread pauses before it looks again, if the system refuses futex calls: nanoseconds. */
#define HSAM_REFUSED_SLEEP 1000000

/* For a thread whose futex call has failed with `error`. EAGAIN, EINTR and ETIMEDOUT are answers. After any
 * other error the system refuses such calls, as the filter of a sandbox may do for ever, and a thread that
 * calls again at once would keep its processor busy: the function then pauses, at most until `deadline`
 * (ticks). Returns 0 at the deadline, else 1. */
static inline int hsam_futex_failed(int error, uint64_t deadline) {
  struct timespec pause = {0, HSAM_REFUSED_SLEEP};
  uint64_t now;
  if (error == ETIMEDOUT) return 0;
  if (error == EAGAIN || error == EINTR) return 1;
  now = hsam_timestamp();
  if (now >= deadline) return 0;
  if (deadline - now < HSAM_REFUSED_SLEEP / HSAM_TIMESTAMP_NANOSECONDS)
    pause.tv_nsec = (long)((deadline - now) * HSAM_TIMESTAMP_NANOSECONDS);
  nanosleep(&pause, NULL);
  return 1;
}

/* Sleeps while *word == expected, until woken or `deadline` (ticks; UINT64_MAX = for ever). Returns 0 at the
 * deadline, else 1; may return 1 without reason. */
static inline int hsam_futex_wait(uint32_t* word, uint32_t expected, uint64_t deadline) {
  struct timespec at;
  struct timespec* timeout = NULL;
  int saved_errno = errno;
  int result = 1;
  if (deadline != UINT64_MAX) {
    at.tv_sec = (time_t)(deadline / HSAM_TIMESTAMP_FREQUENCY);
    at.tv_nsec = (long)(deadline % HSAM_TIMESTAMP_FREQUENCY * HSAM_TIMESTAMP_NANOSECONDS);
    timeout = &at;
  }
  if (syscall(SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected, timeout, NULL,
              FUTEX_BITSET_MATCH_ANY) != 0)
    result = hsam_futex_failed(errno, deadline);
  errno = saved_errno;
  return result;
}

/* Wakes up to `count` threads. The address may be stale: waking it is then without effect, or a spurious
 * wake-up. */
static inline void hsam_futex_wake(uint32_t* word, int count) {
  int saved_errno = errno;
  syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count, NULL, NULL, 0);
  errno = saved_errno;
}

/* ---- signals that processes share ---------------------------------------------------------------------- */

/* A segment of shared memory begins with this structure and is aligned to its size, so that every signal
 * finds the segment that contains it. At the same distance behind each shared block lies its local part. */
#define HSAM_SHARED_SEGMENT_SIZE 0x10000u
typedef struct hsam_shared_header {
  uint32_t sequence; /* counts sends to signals with waiters; the futex on which threads of processes sleep */
  uint32_t sleepers;
} hsam_shared_header;

static inline hsam_shared_header* hsam_shared_header_of(hsam_signal* signal) {
  return (hsam_shared_header*)((uintptr_t)signal & ~(uintptr_t)(HSAM_SHARED_SEGMENT_SIZE - 1));
}

/* The part of a signal that belongs to this process; the signal itself if it is not shared. */
static inline hsam_signal* hsam_signal_local(hsam_signal* signal) {
  if (__builtin_expect((__atomic_load_n(&signal->flags, __ATOMIC_RELAXED) & HSAM_SIGNAL_SHARED) == 0, 1))
    return signal;
  return (hsam_signal*)((uintptr_t)signal + HSAM_SHARED_SEGMENT_SIZE);
}

/* Counts a record or destination in the shared block, too, where senders of all processes see it. */
static inline void hsam_signal_count_shared(hsam_signal* signal, const hsam_signal* local, uint32_t change) {
  if (local != signal) __atomic_fetch_add(&signal->waiters, change, __ATOMIC_SEQ_CST);
}

/* Has every process look at the signals of the segment. */
static inline void hsam_shared_wake(hsam_shared_header* header) {
  int saved_errno = errno;
  __atomic_fetch_add(&header->sequence, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&header->sleepers, __ATOMIC_SEQ_CST) != 0)
    syscall(SYS_futex, &header->sequence, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
  errno = saved_errno;
}

/* Sleeps until hsam_shared_wake has been called since `sequence` was read. May return early. */
static inline void hsam_shared_sleep(hsam_shared_header* header, uint32_t sequence) {
  int saved_errno = errno;
  __atomic_fetch_add(&header->sleepers, 1, __ATOMIC_SEQ_CST);
  if (syscall(SYS_futex, &header->sequence, FUTEX_WAIT, sequence, NULL, NULL, 0) != 0)
    (void)hsam_futex_failed(errno, UINT64_MAX);
  __atomic_fetch_sub(&header->sleepers, 1, __ATOMIC_SEQ_CST);
  errno = saved_errno;
}

/* The lock over a signal's list of wait records: 0 free, 1 held, 2 held and somebody sleeps for it. Held for
 * a few instructions; nothing is called under it. */
static inline void hsam_signal_lock(hsam_signal* signal) {
  uint32_t* word = &hsam_signal_local(signal)->futex;
  uint32_t expected = 0;
  int spin;
  if (__atomic_compare_exchange_n(word, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
  for (spin = 0; spin < 64; ++spin) {
    hsam_cpu_relax();
    expected = 0;
    if (__atomic_load_n(word, __ATOMIC_RELAXED) == 0 &&
        __atomic_compare_exchange_n(word, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return;
  }
  while (__atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE) != 0) hsam_futex_wait(word, 2, UINT64_MAX);
}

static inline void hsam_signal_unlock(hsam_signal* signal) {
  uint32_t* word = &hsam_signal_local(signal)->futex;
  if (__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) == 2) hsam_futex_wake(word, 1);
}

/* ---- conditions and wait records ----------------------------------------------------------------------- */

/* A condition in addition to those of hsa_signal_condition_t. Every send meets it, whatever its value. */
#define HSAM_CONDITION_ANY_SEND 0x100u

static inline int hsam_condition_holds(uint32_t condition, int64_t value, int64_t compare) {
  switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ:
      return value == compare;
    case HSA_SIGNAL_CONDITION_NE:
      return value != compare;
    case HSA_SIGNAL_CONDITION_LT:
      return value < compare;
    case HSA_SIGNAL_CONDITION_GTE:
      return value >= compare;
    default:
      return 0;
  }
}

/* One thread that waits. It is zero-initialised before its first use, and reset by hsam_waiter_reset between
 * sleeps. */
#define HSAM_WAITER_AWAKE 0u
#define HSAM_WAITER_HIT 1u
#define HSAM_WAITER_ASLEEP 2u
typedef struct hsam_waiter {
  uint32_t word;
} hsam_waiter;

/* One condition of a waiting thread on one signal. Lives in the memory of the waiting thread, from
 * hsam_wait_arm to hsam_wait_disarm; linked into the signal's list between them. */
typedef struct hsam_wait_record {
  struct hsam_wait_record* next;
  struct hsam_wait_record* previous;
  hsam_signal* signal;
  hsam_waiter* waiter;
  int64_t compare;
  int64_t value; /* the value that met the condition, if hit */
  uint32_t condition;
  uint32_t hit;
} hsam_wait_record;

static inline void hsam_waiter_reset(hsam_waiter* waiter) {
  __atomic_store_n(&waiter->word, HSAM_WAITER_AWAKE, __ATOMIC_SEQ_CST);
}

/* Links the record. From now on each send that meets the condition ends the sleep of `waiter`. The caller
 * reads the signal's value (hsam_signal_load_scacquire) after this call and before it sleeps. */
static inline void hsam_wait_arm(hsam_wait_record* record, hsam_waiter* waiter, hsam_signal* signal,
                                 uint32_t condition, int64_t compare) {
  hsam_signal* local = hsam_signal_local(signal);
  record->signal = signal;
  record->waiter = waiter;
  record->condition = condition;
  record->compare = compare;
  record->hit = 0;
  record->value = 0;
  record->previous = NULL;
  hsam_signal_lock(local);
  record->next = local->wait_records;
  if (record->next != NULL) record->next->previous = record;
  local->wait_records = record;
  __atomic_fetch_add(&local->waiters, 1, __ATOMIC_SEQ_CST);
  hsam_signal_count_shared(signal, local, 1);
  hsam_signal_unlock(local);
}

/* Unlinks the record; nobody else touches it afterwards. Returns whether its condition was met; record->value
 * is then the value that met it. */
static inline int hsam_wait_disarm(hsam_wait_record* record) {
  hsam_signal* signal = record->signal;
  hsam_signal* local = hsam_signal_local(signal);
  hsam_signal_lock(local);
  if (record->previous != NULL)
    record->previous->next = record->next;
  else
    local->wait_records = record->next;
  if (record->next != NULL) record->next->previous = record->previous;
  __atomic_fetch_sub(&local->waiters, 1, __ATOMIC_SEQ_CST);
  hsam_signal_count_shared(signal, local, UINT32_MAX);
  hsam_signal_unlock(local);
  return (int)record->hit;
}

/* Whether the condition of a linked record has been met; record->value may then be read. For a thread that
 * looks at one of several records of its waiter. */
static inline int hsam_wait_is_met(const hsam_wait_record* record) {
  return __atomic_load_n(&record->hit, __ATOMIC_ACQUIRE) != 0;
}

/* Sleeps until a record of the waiter is met, the waiter is kicked, or `deadline` (ticks) has come. Returns 0
 * at the deadline, otherwise 1. Returns at once if a record was met or the waiter kicked since the last
 * reset. */
static inline int hsam_waiter_sleep(hsam_waiter* waiter, uint64_t deadline) {
  uint32_t expected = HSAM_WAITER_AWAKE;
  if (!__atomic_compare_exchange_n(&waiter->word, &expected, HSAM_WAITER_ASLEEP, 0, __ATOMIC_SEQ_CST,
                                   __ATOMIC_SEQ_CST))
    return 1;
  while (__atomic_load_n(&waiter->word, __ATOMIC_SEQ_CST) == HSAM_WAITER_ASLEEP) {
    if (hsam_futex_wait(&waiter->word, HSAM_WAITER_ASLEEP, deadline)) continue;
    expected = HSAM_WAITER_ASLEEP;
    return !__atomic_compare_exchange_n(&waiter->word, &expected, HSAM_WAITER_AWAKE, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST);
  }
  return 1;
}

/* Ends the present sleep of a waiter, or its next one, without any signal. The waiter must exist until this
 * returns. */
static inline void hsam_waiter_kick(hsam_waiter* waiter) {
  if (__atomic_exchange_n(&waiter->word, HSAM_WAITER_HIT, __ATOMIC_SEQ_CST) == HSAM_WAITER_ASLEEP)
    hsam_futex_wake(&waiter->word, 1);
}

/* ---- send ---------------------------------------------------------------------------------------------- */

/* Functions that most sends do not need stay out of those that are inline, which then save no registers. */
#define HSAM_RARELY_CALLED_ __attribute__((noinline, cold, unused)) static

/* Tests `value` against the conditions that were registered in this process and wakes those that it meets.
 * The caller holds the lock of the signal, which this function gives back. */
static inline void hsam_signal_notify_and_unlock(hsam_signal* local, int64_t value) {
  enum { batch = 16 };
  uint32_t* wake[batch];
  unsigned count = 0;
  unsigned i;
  hsam_wait_record* record;
  for (record = local->wait_records; record != NULL; record = record->next) {
    uint32_t* word = &record->waiter->word;
    if (record->hit) continue;
    if (record->condition != HSAM_CONDITION_ANY_SEND &&
        !hsam_condition_holds(record->condition, value, record->compare))
      continue;
    record->value = value;
    __atomic_store_n(&record->hit, 1, __ATOMIC_RELEASE);
    if (__atomic_exchange_n(word, HSAM_WAITER_HIT, __ATOMIC_SEQ_CST) != HSAM_WAITER_ASLEEP) continue;
    if (count < batch)
      wake[count++] = word;
    else
      hsam_futex_wake(word, 1);
  }
  hsam_signal_unlock(local);
  /* The waiters may be gone by now: only their addresses are used. */
  for (i = 0; i < count; ++i) hsam_futex_wake(wake[i], 1);
}

/* Tests the value that the signal has now, for a sender that cannot say whether the waiters registered before
 * or after its change. */
static inline void hsam_signal_notify_present(hsam_signal* signal) {
  hsam_signal* local = hsam_signal_local(signal);
  hsam_signal_lock(local);
  hsam_signal_notify_and_unlock(local, __atomic_load_n(&signal->value, __ATOMIC_SEQ_CST));
}

/* MVA 3.13 barrier(): all earlier writes are visible to all agents, and later accesses do not happen before
 * it returns. */
static inline void hsam_destination_barrier(uint64_t flags) {
  (void)flags; /* on the host one full fence serves memory and peripherals: it also drains write-combining
                  buffers */
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Writes the doorbells and checks the states of all destinations of one root (MVA 3.11.3). Returns whether
 * any of them is INACTIVE. */
static inline int hsam_root_ring(hsa_root_dest_node* root) {
  uint64_t flags = __atomic_load_n(&root->flags, __ATOMIC_SEQ_CST);
  uint64_t doorbell;
  int inactive;
  hsa_destination_node* node;
  hsa_group_node* group;
  hsam_destination_barrier(flags);
  flags = __atomic_load_n(&root->flags, __ATOMIC_SEQ_CST);
  doorbell = flags >> HSAM_ROOT_DOORBELL_VALUE_SHIFT;
  inactive = (flags & HSAM_NODE_STATE_INACTIVE) != 0;
  for (node = __atomic_load_n(&root->next_dest_hier, __ATOMIC_SEQ_CST); node != NULL;
       node = __atomic_load_n(&node->next_dest_hier, __ATOMIC_SEQ_CST)) {
    uint64_t* address = __atomic_load_n(&node->doorbell_address, __ATOMIC_SEQ_CST);
    if (address != NULL) __atomic_store_n(address, doorbell, __ATOMIC_SEQ_CST);
    hsam_destination_barrier(__atomic_load_n(&node->flags, __ATOMIC_RELAXED));
    inactive |= (__atomic_load_n(&node->flags, __ATOMIC_SEQ_CST) & HSAM_NODE_STATE_INACTIVE) != 0;
  }
  for (group = __atomic_load_n(&root->next_group_hier, __ATOMIC_SEQ_CST); group != NULL;
       group = __atomic_load_n(&group->next_group_hier, __ATOMIC_SEQ_CST)) {
    uint64_t* address = __atomic_load_n(&group->doorbell_address, __ATOMIC_SEQ_CST);
    uint64_t* state = __atomic_load_n(&group->state, __ATOMIC_SEQ_CST);
    if (address != NULL) __atomic_store_n(address, doorbell, __ATOMIC_SEQ_CST);
    hsam_destination_barrier(__atomic_load_n(&group->flags, __ATOMIC_RELAXED));
    inactive |= state != NULL && __atomic_load_n(state, __ATOMIC_SEQ_CST) != 0;
  }
  return inactive;
}

/* Rings all destinations of a signal that has any attached. */
HSAM_RARELY_CALLED_ void hsam_signal_ring_destinations(hsam_signal* signal) {
  hsa_signal_object* object = __atomic_load_n(&signal->object, __ATOMIC_RELAXED);
  const hsam_signal_hooks* hooks = __atomic_load_n(&signal->hooks, __ATOMIC_RELAXED);
  uint32_t count = __atomic_load_n(&object->number_of_dests, __ATOMIC_RELAXED);
  uint32_t i;
  for (i = 0; i < count; ++i) {
    hsa_root_dest_node* root = &object->root_dest_array[i];
    if (!hsam_root_ring(root) || hooks == NULL || hooks->destination_unreachable == NULL) continue;
    hooks->destination_unreachable(
        object,
        (int64_t)((__atomic_load_n(&root->flags, __ATOMIC_RELAXED) >> HSAM_ROOT_DRIVER_ID_SHIFT) & 0xffffu));
  }
}

/* Notifies the waiters of all processes of the value that has been sent. `locked` is the answer of
 * hsam_signal_sending. */
HSAM_RARELY_CALLED_ void hsam_signal_notify(hsam_signal* signal, int locked, int64_t value) {
  hsam_signal* local = hsam_signal_local(signal);
  if (locked)
    hsam_signal_notify_and_unlock(local, value);
  else
    hsam_signal_notify_present(signal);
  if (local == signal) return;
  if (__atomic_load_n(&local->attached, __ATOMIC_SEQ_CST) != 0) hsam_signal_ring_destinations(local);
  hsam_shared_wake(hsam_shared_header_of(signal));
}

/* Locks the signal before a send; returns 1. */
HSAM_RARELY_CALLED_ int hsam_signal_lock_for_send(hsam_signal* signal) {
  hsam_signal_lock(signal);
  return 1;
}

/* The times of the packet or copy that completes on the signal, in ticks of the system timestamp; start 0 =
 * unknown. They share the cache line of the value, which the completion writes anyway, so that whoever
 * completes a signal may always set them. They are set before the value changes, and read by threads that
 * have seen the change. */
static inline void hsam_signal_set_times(hsam_signal* signal, uint64_t start, uint64_t end) {
  __atomic_store_n(&signal->start_timestamp, start, __ATOMIC_RELAXED);
  __atomic_store_n(&signal->end_timestamp, end, __ATOMIC_RELAXED);
}
static inline void hsam_signal_get_times(const hsam_signal* signal, uint64_t* start, uint64_t* end) {
  *start = __atomic_load_n(&signal->start_timestamp, __ATOMIC_RELAXED);
  *end = __atomic_load_n(&signal->end_timestamp, __ATOMIC_RELAXED);
}

/* hsam_signal_sending must be called before each change of a signal's value, and hsam_signal_sent after it
 * with its answer and the value that the change left, or hsam_signal_not_sent if nothing was changed. If
 * somebody waits, the answer is 1, and the signal is locked between the two calls. */
static inline int hsam_signal_sending(hsam_signal* signal) {
  hsam_prefetch_for_write(signal);
  if (__builtin_expect(__atomic_load_n(&signal->waiters, __ATOMIC_RELAXED) == 0, 1)) return 0;
  return hsam_signal_lock_for_send(signal);
}
static inline void hsam_signal_sent(hsam_signal* signal, int locked, int64_t value) {
  if (__builtin_expect(locked || __atomic_load_n(&signal->waiters, __ATOMIC_SEQ_CST) != 0, 0))
    hsam_signal_notify(signal, locked, value);
  if (__builtin_expect(__atomic_load_n(&signal->attached, __ATOMIC_SEQ_CST) != 0, 0))
    hsam_signal_ring_destinations(signal);
}
static inline void hsam_signal_not_sent(hsam_signal* signal, int locked) {
  if (__builtin_expect(locked, 0)) hsam_signal_unlock(signal);
}

static inline int64_t hsam_signal_load_relaxed(const hsam_signal* signal) {
  return __atomic_load_n(&signal->value, __ATOMIC_RELAXED);
}
static inline int64_t hsam_signal_load_scacquire(const hsam_signal* signal) {
  return __atomic_load_n(&signal->value, __ATOMIC_SEQ_CST);
}

/* Stores a value without waking waiters or ringing doorbells (Runtime 2.4.1.9). */
static inline void hsam_signal_silent_store_relaxed(hsam_signal* signal, int64_t value) {
  __atomic_store_n(&signal->value, value, __ATOMIC_RELAXED);
}
static inline void hsam_signal_silent_store_screlease(hsam_signal* signal, int64_t value) {
  __atomic_store_n(&signal->value, value, __ATOMIC_SEQ_CST);
}

static inline void hsam_signal_store_screlease(hsam_signal* signal, int64_t value) {
  int locked = hsam_signal_sending(signal);
  /* An exchange is ordered before the load of `waiters`, which a store alone would not be. */
  (void)__atomic_exchange_n(&signal->value, value, __ATOMIC_SEQ_CST);
  hsam_signal_sent(signal, locked, value);
}
static inline int64_t hsam_signal_exchange_scacq_screl(hsam_signal* signal, int64_t value) {
  int locked = hsam_signal_sending(signal);
  int64_t old = __atomic_exchange_n(&signal->value, value, __ATOMIC_SEQ_CST);
  hsam_signal_sent(signal, locked, value);
  return old;
}
/* Returns the observed value; the store happened if that is `expected`. A failed comparison is no send. */
static inline int64_t hsam_signal_cas_scacq_screl(hsam_signal* signal, int64_t expected, int64_t value) {
  int locked = hsam_signal_sending(signal);
  int64_t observed = expected;
  if (__atomic_compare_exchange_n(&signal->value, &observed, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    hsam_signal_sent(signal, locked, value);
  else
    hsam_signal_not_sent(signal, locked);
  return observed;
}
/* The arithmetic operations wrap, and return the value from before the operation. */
static inline int64_t hsam_signal_add_scacq_screl(hsam_signal* signal, int64_t value) {
  int locked = hsam_signal_sending(signal);
  int64_t old = __atomic_fetch_add(&signal->value, value, __ATOMIC_SEQ_CST);
  hsam_signal_sent(signal, locked, (int64_t)((uint64_t)old + (uint64_t)value));
  return old;
}
static inline int64_t hsam_signal_subtract_scacq_screl(hsam_signal* signal, int64_t value) {
  int locked = hsam_signal_sending(signal);
  int64_t old = __atomic_fetch_sub(&signal->value, value, __ATOMIC_SEQ_CST);
  hsam_signal_sent(signal, locked, (int64_t)((uint64_t)old - (uint64_t)value));
  return old;
}
static inline int64_t hsam_signal_and_scacq_screl(hsam_signal* signal, int64_t value) {
  int locked = hsam_signal_sending(signal);
  int64_t old = __atomic_fetch_and(&signal->value, value, __ATOMIC_SEQ_CST);
  hsam_signal_sent(signal, locked, old & value);
  return old;
}
static inline int64_t hsam_signal_or_scacq_screl(hsam_signal* signal, int64_t value) {
  int locked = hsam_signal_sending(signal);
  int64_t old = __atomic_fetch_or(&signal->value, value, __ATOMIC_SEQ_CST);
  hsam_signal_sent(signal, locked, old | value);
  return old;
}
static inline int64_t hsam_signal_xor_scacq_screl(hsam_signal* signal, int64_t value) {
  int locked = hsam_signal_sending(signal);
  int64_t old = __atomic_fetch_xor(&signal->value, value, __ATOMIC_SEQ_CST);
  hsam_signal_sent(signal, locked, old ^ value);
  return old;
}

/* The functions with names of weaker orders are the same operations; see "Memory orders" at the beginning of
 * this file. */
static inline void hsam_signal_store_relaxed(hsam_signal* signal, int64_t value) {
  hsam_signal_store_screlease(signal, value);
}
#define HSAM_SIGNAL_WEAKER_NAMES_(operation)                                                      \
  static inline int64_t hsam_signal_##operation##_relaxed(hsam_signal* signal, int64_t value) {   \
    return hsam_signal_##operation##_scacq_screl(signal, value);                                  \
  }                                                                                               \
  static inline int64_t hsam_signal_##operation##_scacquire(hsam_signal* signal, int64_t value) { \
    return hsam_signal_##operation##_scacq_screl(signal, value);                                  \
  }                                                                                               \
  static inline int64_t hsam_signal_##operation##_screlease(hsam_signal* signal, int64_t value) { \
    return hsam_signal_##operation##_scacq_screl(signal, value);                                  \
  }
HSAM_SIGNAL_WEAKER_NAMES_(exchange)
HSAM_SIGNAL_WEAKER_NAMES_(add)
HSAM_SIGNAL_WEAKER_NAMES_(subtract)
HSAM_SIGNAL_WEAKER_NAMES_(and)
HSAM_SIGNAL_WEAKER_NAMES_(or)
HSAM_SIGNAL_WEAKER_NAMES_(xor)
#undef HSAM_SIGNAL_WEAKER_NAMES_
static inline int64_t hsam_signal_cas_relaxed(hsam_signal* signal, int64_t expected, int64_t value) {
  return hsam_signal_cas_scacq_screl(signal, expected, value);
}
static inline int64_t hsam_signal_cas_scacquire(hsam_signal* signal, int64_t expected, int64_t value) {
  return hsam_signal_cas_scacq_screl(signal, expected, value);
}
static inline int64_t hsam_signal_cas_screlease(hsam_signal* signal, int64_t expected, int64_t value) {
  return hsam_signal_cas_scacq_screl(signal, expected, value);
}

/* ---- wait ---------------------------------------------------------------------------------------------- */

/* How long a wait polls before it sleeps, in ticks. An active wait is for clients that want to know at once,
 * so it polls for about as long as kernels on a GPU run; to wake a thread takes 10 us or more. It offers the
 * processor to other threads after the first part: on a machine with fewer processors than threads the
 * awaited thread is one of them. */
#define HSAM_SPIN_PURE (HSAM_TIMESTAMP_FREQUENCY / 1000000 * 2)      /* 2 us */
#define HSAM_SPIN_ACTIVE (HSAM_TIMESTAMP_FREQUENCY / 1000000 * 2000) /* 2 ms */

/* A machine is crowded if a thread that offers its processor gets it back only after others have used up
 * their time, milliseconds later. A thread that sleeps is woken at once even then. */
#define HSAM_CROWDED_YIELD (HSAM_TIMESTAMP_FREQUENCY / 1000000 * 100)   /* 100 us */
#define HSAM_CROWDED_TIME (HSAM_TIMESTAMP_FREQUENCY / 1000000 * 100000) /* 100 ms */

/* An offer that ends sooner was not taken: the system came back without running another thread. */
#define HSAM_UNTAKEN_YIELD (HSAM_TIMESTAMP_FREQUENCY / 1000000) /* 1 us */
/* How long a thread keeps its processor after such an offer. The call costs 0.4 us in which the thread sees
 * nothing, so that calls that follow each other at once would delay it by 0.2 us on average. */
#define HSAM_UNTAKEN_TIME (HSAM_TIMESTAMP_FREQUENCY / 1000000 * 5) /* 5 us */

/* Offers the processor to other threads. Returns 0 without an offer if the last one took so long that the
 * caller had better sleep, and 1 otherwise. `now` is the present time. */
static inline int hsam_offer_processor(uint64_t now) {
  static __thread uint64_t crowded_until;
  uint64_t after;
  if (now < crowded_until) return 0;
  sched_yield();
  after = hsam_timestamp();
  if (after - now > HSAM_CROWDED_YIELD) crowded_until = after + HSAM_CROWDED_TIME;
  return 1;
}

/* The same for threads that look at memory all the time: if the last offer was not taken and was made only a
 * moment ago, there is none, and 1 is returned. */
static inline int hsam_offer_processor_rarely(uint64_t now) {
  static __thread uint64_t untaken_until;
  uint64_t after;
  if (now < untaken_until) return 1;
  if (!hsam_offer_processor(now)) return 0;
  after = hsam_timestamp();
  if (after - now < HSAM_UNTAKEN_YIELD) untaken_until = after + HSAM_UNTAKEN_TIME;
  return 1;
}

/* How long a thread that polls leaves the memory alone after its first look, in ticks. Threads that answer
 * each other get there what they wait for about as long after it; a look that comes a moment too early delays
 * the answer, because it takes the cache line away from the thread that is about to write. */
#define HSAM_SPIN_FIRST 10 /* 100 ns */
/* For the same reason, the pause between two looks doubles after HSAM_SPIN_LEVEL_LOOKS looks, at most so many
 * times. It stays a small part of the time waited so far. */
#define HSAM_SPIN_LEVEL_MAX 5
#define HSAM_SPIN_LEVEL_LOOKS 64

/* Pauses after look number `step` of a thread that polls since `start`. Returns whether enough time has gone
 * by to look at the clock, too. */
static inline int hsam_pause(unsigned step, uint64_t start) {
  const unsigned doublings = step / HSAM_SPIN_LEVEL_LOOKS;
  const unsigned level = doublings < HSAM_SPIN_LEVEL_MAX ? doublings : HSAM_SPIN_LEVEL_MAX;
  unsigned pauses = 1u << level;
  if (step == 0) {
    do hsam_cpu_relax();
    while (hsam_timestamp() - start < HSAM_SPIN_FIRST);
    return 0;
  }
  while (pauses-- != 0) hsam_cpu_relax();
  return (step & (15u >> level)) == 15u >> level;
}

/* One step of polling, number `step` since `start`; 0 when the time for polling is over. */
static inline int hsam_spin(unsigned step, uint64_t start, uint64_t budget, uint64_t deadline) {
  uint64_t now;
  if (!hsam_pause(step, start)) return 1;
  now = hsam_timestamp();
  if (now >= deadline || now - start >= budget) return 0;
  return now - start < HSAM_SPIN_PURE || hsam_offer_processor_rarely(now);
}

/* Index of the first signal whose condition holds, with the value that made it hold; `count` if there is
 * none. */
static inline uint32_t hsam_signal_poll(uint32_t count, hsam_signal* const* signals,
                                        const hsa_signal_condition_t* conditions, const int64_t* compares,
                                        int64_t* value) {
  uint32_t i;
  for (i = 0; i < count; ++i) {
    *value = hsam_signal_load_scacquire(signals[i]);
    if (hsam_condition_holds((uint32_t)conditions[i], *value, compares[i])) return i;
  }
  return count;
}

/*
 * Waits until one of `count` signals meets its condition, or for `timeout` ticks (UINT64_MAX = for ever, 0 =
 * do not wait). Returns the index of a signal that met its condition and the value that did in *value, or
 * `count` at the timeout. `records` is scratch memory for `count` records.
 */
static inline uint32_t hsam_signal_wait_any(uint32_t count, hsam_signal* const* signals,
                                            const hsa_signal_condition_t* conditions, const int64_t* compares,
                                            uint64_t timeout, hsa_wait_state_t hint,
                                            hsam_wait_record* records, int64_t* value) {
  uint64_t budget = hint == HSA_WAIT_STATE_ACTIVE ? HSAM_SPIN_ACTIVE : HSAM_SPIN_PURE;
  uint64_t start;
  uint64_t deadline;
  unsigned step = 0;
  hsam_waiter waiter = {HSAM_WAITER_AWAKE};
  uint32_t found = hsam_signal_poll(count, signals, conditions, compares, value);
  uint32_t i;
  if (found != count || timeout == 0) return found;
  start = hsam_timestamp();
  deadline = hsam_deadline(start, timeout);
  while (hsam_spin(step++, start, budget, deadline)) {
    found = hsam_signal_poll(count, signals, conditions, compares, value);
    if (found != count) return found;
  }
  for (i = 0; i < count; ++i)
    hsam_wait_arm(&records[i], &waiter, signals[i], (uint32_t)conditions[i], compares[i]);
  found = hsam_signal_poll(count, signals, conditions, compares, value);
  if (found == count) hsam_waiter_sleep(&waiter, deadline);
  for (i = 0; i < count; ++i) {
    if (!hsam_wait_disarm(&records[i]) || found != count) continue;
    found = i;
    *value = records[i].value;
  }
  return found;
}

/* Waits until the condition holds, but for at most `timeout` ticks. Returns the value that met the condition,
 * or the present one at the timeout. */
static inline int64_t hsam_signal_wait_scacquire(hsam_signal* signal, hsa_signal_condition_t condition,
                                                 int64_t compare, uint64_t timeout, hsa_wait_state_t hint) {
  hsam_wait_record record;
  int64_t value;
  if (hsam_signal_wait_any(1, &signal, &condition, &compare, timeout, hint, &record, &value) == 0)
    return value;
  return hsam_signal_load_scacquire(signal);
}
static inline int64_t hsam_signal_wait_relaxed(hsam_signal* signal, hsa_signal_condition_t condition,
                                               int64_t compare, uint64_t timeout, hsa_wait_state_t hint) {
  return hsam_signal_wait_scacquire(signal, condition, compare, timeout, hint);
}

/* ---- destinations, for agents that want doorbells ------------------------------------------------------ */

/* The hsam_signal of a signal object that signal_new passed to the agent. */
static inline hsam_signal* hsam_signal_of(hsa_signal_object* object) {
  return (hsam_signal*)(void*)object->signal_value_ptr;
}

static inline int hsam_root_is_attached(uint64_t flags, const void* destinations, const void* groups) {
  return (flags & HSAM_NODE_STATE_INACTIVE) != 0 || destinations != NULL || groups != NULL;
}

/*
 * Replaces an agent's own root (MVA 3.9): state, barrier type and doorbell value as one word, and the
 * heads of its node lists. The driver id in the root stays. Afterwards all senders see the new root; the
 * caller reads the signal's value again, since a send may have come between. The agent serialises the updates
 * of its root itself.
 */
static inline void hsam_root_update(hsam_signal* signal, hsa_root_dest_node* root, uint64_t flags,
                                    hsa_destination_node* destinations, hsa_group_node* groups) {
  const uint64_t driver_mask = (uint64_t)0xffff << HSAM_ROOT_DRIVER_ID_SHIFT;
  uint64_t old = __atomic_load_n(&root->flags, __ATOMIC_RELAXED);
  int before = hsam_root_is_attached(old, root->next_dest_hier, root->next_group_hier);
  int after = hsam_root_is_attached(flags, destinations, groups);
  hsam_signal* local = hsam_signal_local(signal);
  if (after && !before) {
    __atomic_fetch_add(&local->attached, 1, __ATOMIC_SEQ_CST);
    hsam_signal_count_shared(signal, local, 1);
  }
  /* INACTIVE may be visible too early but never too late: nodes are unlinked after the flags say INACTIVE,
   * and linked before the flags may say ACTIVE. */
  if (flags & HSAM_NODE_STATE_INACTIVE)
    __atomic_store_n(&root->flags, (flags & ~driver_mask) | (old & driver_mask), __ATOMIC_SEQ_CST);
  __atomic_store_n(&root->next_dest_hier, destinations, __ATOMIC_SEQ_CST);
  __atomic_store_n(&root->next_group_hier, groups, __ATOMIC_SEQ_CST);
  if (!(flags & HSAM_NODE_STATE_INACTIVE))
    __atomic_store_n(&root->flags, (flags & ~driver_mask) | (old & driver_mask), __ATOMIC_SEQ_CST);
  if (before && !after) {
    hsam_signal_count_shared(signal, local, UINT32_MAX);
    __atomic_fetch_sub(&local->attached, 1, __ATOMIC_SEQ_CST);
  }
}

/*
 * Changes of nodes that senders may be walking (MVA 3.9.2, 3.9.3). Each changes one word and is visible to
 * all senders when it returns. The agent serialises changes of its nodes, and afterwards reads the values of
 * the signals again, since a send may have come between. A node that was replaced may still be rung; it stays
 * readable until all signals that ever had it are removed (MVA 3.9.4).
 */
static inline void hsam_node_set_flags(hsa_destination_node* node, uint64_t flags) {
  __atomic_store_n(&node->flags, flags, __ATOMIC_SEQ_CST);
}
static inline void hsam_group_set_state(hsa_group_node* node, uint64_t state) {
  __atomic_store_n(node->state, state, __ATOMIC_SEQ_CST);
}
/* Replaces the node to which `link` points: next_dest_hier or next_group_hier of the root or of a node. The
 * new node is complete, and begins the rest of the list. */
static inline void hsam_node_exchange(hsa_destination_node** link, hsa_destination_node* node) {
  __atomic_store_n(link, node, __ATOMIC_SEQ_CST);
}
static inline void hsam_group_exchange(hsa_group_node** link, hsa_group_node* node) {
  __atomic_store_n(link, node, __ATOMIC_SEQ_CST);
}

#ifdef __cplusplus
}
#endif
#endif /* HSAM_SIGNAL_H_ */
