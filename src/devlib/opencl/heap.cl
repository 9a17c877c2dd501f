// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// malloc and free of HIP. A module that needs them has a heap of 16 MiB of its own, in a variable. Blocks have sizes that are powers of two; what
// is freed can be had again in its size. A block of another module's heap may be freed, too, and changes heaps with that.

#define HEAP_UNIT 16u          // bytes; what a block begins with, and the alignment of what malloc returns
#define HEAP_UNITS (1u << 20)  // 16 MiB
#define HEAP_CLASSES 25u       // blocks of 2^n bytes

// Lists of free blocks by their class. The address of the first one, in units, is in the lower bits; above it is a number that each change
// counts up, so that a list that looks the same is the same.
#define BLOCK_BITS 44
static global atomic_ulong free_blocks[HEAP_CLASSES];
static global atomic_uint heap_used;  // units that have been in use, ever
static global ulong2 heap[HEAP_UNITS];

// A block before the memory of the caller.
struct block {
  atomic_ulong next;  // as in the lists, while it is free
  ulong class;
};

static global struct block* block_at(ulong head) { return (global struct block*)((head & ((1ul << BLOCK_BITS) - 1)) * HEAP_UNIT); }
static ulong head_for(ulong before, global struct block* block) {
  return ((before >> BLOCK_BITS) + 1) << BLOCK_BITS | (ulong)block / HEAP_UNIT;
}

static global struct block* pop_block(uint class) {
  global atomic_ulong* list = &free_blocks[class];
  ulong head = __opencl_atomic_load(list, memory_order_acquire, memory_scope_device);
  for (;;) {
    global struct block* block = block_at(head);
    if (block == 0) return 0;
    // If somebody else takes the block meanwhile, this may be anything, and the exchange fails.
    ulong next = __opencl_atomic_load(&block->next, memory_order_relaxed, memory_scope_device);
    if (__opencl_atomic_compare_exchange_strong(list, &head, head_for(head, block_at(next)), memory_order_acq_rel, memory_order_acquire,
                                                memory_scope_device))
      return block;
  }
}

static global struct block* new_block(uint class) {
  uint units = class < 4 ? 1 : (1u << class) / HEAP_UNIT;
  uint used = __opencl_atomic_load(&heap_used, memory_order_relaxed, memory_scope_device);
  do {
    if (HEAP_UNITS - used < units) return 0;
  } while (!__opencl_atomic_compare_exchange_strong(&heap_used, &used, used + units, memory_order_relaxed, memory_order_relaxed,
                                                    memory_scope_device));
  return (global struct block*)&heap[used];
}

ulong __ockl_dm_alloc(ulong size) {
  if (size > (ulong)(HEAP_UNITS - 1) * HEAP_UNIT) return 0;
  uint class = 64 - (uint)clz(size + HEAP_UNIT - 1);
  if (class < 5) class = 5;
  global struct block* block = pop_block(class);
  if (block == 0) block = new_block(class);
  if (block == 0) return 0;
  block->class = class;
  return (ulong)(block + 1);
}

void __ockl_dm_dealloc(ulong address) {
  if (address == 0) return;
  global struct block* block = (global struct block*)address - 1;
  global atomic_ulong* list = &free_blocks[block->class];
  ulong head = __opencl_atomic_load(list, memory_order_relaxed, memory_scope_device);
  do {
    __opencl_atomic_store(&block->next, head, memory_order_relaxed, memory_scope_device);
  } while (!__opencl_atomic_compare_exchange_strong(list, &head, head_for(head, block), memory_order_release, memory_order_relaxed,
                                                    memory_scope_device));
}

void* malloc(size_t size) { return (void*)__ockl_dm_alloc(size); }
void free(void* memory) { __ockl_dm_dealloc((ulong)memory); }
