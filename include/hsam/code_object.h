/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The container of code objects, for vendors: a reader for agent drivers, whose code_load gets such a file,
 * and a writer for tools that make code for a vendor's ISA. The container tells the runtime the ISA and the
 * kernels with their sizes; the code in it is the vendor's own and nobody else looks at it.
 * docs/code-objects.md describes the whole format, with the parts that these functions leave out (variables,
 * relocations, lines).
 *
 * Everything is inline, in C99 or C++. All functions may be called from all threads. The readers accept any
 * bytes: they neither read outside of them nor trust a number in them.
 */
#ifndef HSAM_CODE_OBJECT_H_
#define HSAM_CODE_OBJECT_H_

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the container. The runtime loads files of exactly this version. */
#define HSAM_CODE_OBJECT_VERSION 6u
/** Version of the interface between heddle's own kernels, for CPUs and NVIDIA GPUs, and their agents. Every
 * file carries it, and the runtime loads only files of exactly this version. */
#define HSAM_CODE_OBJECT_ABI_VERSION 13u
/** Text entry of a kernel that has none. */
#define HSAM_CODE_OBJECT_NO_ENTRY UINT64_MAX

/** What an agent driver needs of a code object. All pointers lead into the bytes that were opened. */
typedef struct hsam_code_object {
  const char* isa; /* isa_size characters, not terminated; none in code objects without an agent part */
  uint32_t isa_size;
  const unsigned char* text; /* the vendor's code; null if there is none */
  uint64_t text_size;
  const unsigned char* data; /* the code's constants; null if there are none */
  uint64_t data_size;
  uint32_t variable_count, kernel_count, function_count;
  const unsigned char* kernels; /* the records, for hsam_code_object_kernel */
  uint32_t kernels_size;
} hsam_code_object;

/** A kernel of a code object. Sizes are in bytes. */
typedef struct hsam_code_kernel {
  const char* name; /* HSAIL name with its &; name_size characters, not terminated when it was read */
  uint32_t name_size;
  uint64_t kernarg_size;
  uint32_t kernarg_align;
  uint32_t group_size; /* static group memory of a work-group */
  uint32_t group_align;
  uint32_t private_size; /* private memory of a work-item */
  uint64_t entry;        /* offset in text */
} hsam_code_kernel;

/* ---- reading ---- */

typedef struct hsam_reader_ {
  const unsigned char* at;
  const unsigned char* end;
  int failed;
} hsam_reader_;

/* Reads a little-endian number of `size` bytes; 0 past the end. */
static inline uint64_t hsam_read_(hsam_reader_* in, unsigned size) {
  uint64_t value = 0;
  unsigned i;
  if ((size_t)(in->end - in->at) < size) {
    in->failed = 1;
    in->at = in->end;
    return 0;
  }
  for (i = 0; i < size; ++i) value |= (uint64_t)in->at[i] << 8 * i;
  in->at += size;
  return value;
}

/* Skips bytes and returns where they begin; null past the end. */
static inline const unsigned char* hsam_skip_(hsam_reader_* in, uint64_t size) {
  const unsigned char* begin = in->at;
  if (size > (uint64_t)(in->end - in->at)) {
    in->failed = 1;
    in->at = in->end;
    return NULL;
  }
  in->at += size;
  return begin;
}

static inline hsam_reader_ hsam_reader_of_(const unsigned char* bytes, uint64_t size) {
  hsam_reader_ in;
  in.at = bytes;
  in.end = bytes + size;
  in.failed = 0;
  return in;
}

/* Finds a section of an ELF64 file by its name. Returns 0 if there is none inside the file. */
static inline int hsam_section_(const unsigned char* file, uint64_t size, const char* name,
                                hsam_reader_* out) {
  const unsigned char magic[6] = {0x7f, 'E', 'L', 'F', 2, 1};
  hsam_reader_ header = hsam_reader_of_(file, size);
  uint64_t table, names_at, names_size, i, count;
  if (size < 64 || memcmp(file, magic, sizeof magic) != 0) return 0;
  hsam_skip_(&header, 40);
  table = hsam_read_(&header, 8);
  hsam_skip_(&header, 12);
  count = hsam_read_(&header, 2);
  i = hsam_read_(&header, 2);
  if (table > size || count > (size - table) / 64 || i >= count) return 0;
  header = hsam_reader_of_(file + table + 64 * i + 24, 16);
  names_at = hsam_read_(&header, 8);
  names_size = hsam_read_(&header, 8);
  if (names_at > size || names_size > size - names_at) return 0;
  for (i = 1; i < count; ++i) {
    uint64_t name_at, at, length;
    header = hsam_reader_of_(file + table + 64 * i, 64);
    name_at = hsam_read_(&header, 4);
    hsam_skip_(&header, 20);
    at = hsam_read_(&header, 8);
    length = hsam_read_(&header, 8);
    if (name_at >= names_size || names_size - name_at <= strlen(name) ||
        memcmp(file + names_at + name_at, name, strlen(name) + 1) != 0)
      continue;
    if (at > size || length > size - at) return 0;
    *out = hsam_reader_of_(file + at, length);
    return 1;
  }
  return 0;
}

/* Finds the record of a note. */
static inline int hsam_note_(hsam_reader_ notes, uint32_t wanted, hsam_reader_* out) {
  while (notes.end - notes.at >= 12) {
    const uint64_t name_size = hsam_read_(&notes, 4);
    const uint64_t size = hsam_read_(&notes, 4);
    const uint64_t type = hsam_read_(&notes, 4);
    const unsigned char* name = hsam_skip_(&notes, (name_size + 3) / 4 * 4);
    const unsigned char* record = hsam_skip_(&notes, (size + 3) / 4 * 4);
    if (notes.failed) return 0;
    if (type != wanted || name_size != 7 || memcmp(name, "heddle", 7) != 0) continue;
    *out = hsam_reader_of_(record, size);
    return 1;
  }
  return 0;
}

/**
 * Opens a code object. Returns null, or in a few words what is wrong, for the driver's log; `object` is then
 * undefined. The bytes must outlive `object`.
 */
static inline const char* hsam_code_object_open(const void* bytes, size_t size, hsam_code_object* object) {
  const unsigned char* file = (const unsigned char*)bytes;
  hsam_reader_ notes, header, kernels, record, section;
  memset(object, 0, sizeof *object);
  if (!hsam_section_(file, size, ".note.heddle", &notes))
    return "it is no ELF file with a section .note.heddle";
  if (!hsam_note_(notes, 1, &header)) return "it has no header note";
  if (hsam_read_(&header, 4) != HSAM_CODE_OBJECT_VERSION) return "it has another version of the format";
  hsam_skip_(&header, 4 + 2); /* version of the ABI, and which parts there are */
  object->isa_size = (uint32_t)hsam_read_(&header, 4);
  object->isa = (const char*)hsam_skip_(&header, object->isa_size);
  if (header.failed) return "its header ends early";
  if (!hsam_note_(notes, 2, &record)) return "it has no note of variables";
  object->variable_count = (uint32_t)hsam_read_(&record, 4);
  if (!hsam_note_(notes, 4, &record)) return "it has no note of functions";
  object->function_count = (uint32_t)hsam_read_(&record, 4);
  if (!hsam_note_(notes, 3, &kernels)) return "it has no note of kernels";
  object->kernel_count = (uint32_t)hsam_read_(&kernels, 4);
  object->kernels = kernels.at;
  object->kernels_size = (uint32_t)(kernels.end - kernels.at);
  if (kernels.failed || object->kernel_count > object->kernels_size) return "it announces too many kernels";
  if (hsam_section_(file, size, ".text", &section)) {
    object->text = section.at;
    object->text_size = (uint64_t)(section.end - section.at);
  }
  if (hsam_section_(file, size, ".data", &section)) {
    object->data = section.at;
    object->data_size = (uint64_t)(section.end - section.at);
  }
  return NULL;
}

/** Reads kernel number `index`, the number that code_kernel gets. Returns 0 if there is no such kernel, or
 * its record is damaged or its entry outside of text; else 1. Takes time in proportion to `index`. */
static inline int hsam_code_object_kernel(const hsam_code_object* object, uint32_t index,
                                          hsam_code_kernel* kernel) {
  hsam_reader_ in = hsam_reader_of_(object->kernels, object->kernels_size);
  uint32_t i;
  if (index >= object->kernel_count) return 0;
  for (i = 0; i <= index && !in.failed; ++i) {
    kernel->name_size = (uint32_t)hsam_read_(&in, 4);
    kernel->name = (const char*)hsam_skip_(&in, kernel->name_size);
    hsam_skip_(&in, hsam_read_(&in, 4)); /* the linker's name */
    hsam_skip_(&in, hsam_read_(&in, 4)); /* the module's name */
    hsam_skip_(&in, 1);                  /* linkage */
    kernel->kernarg_size = hsam_read_(&in, 8);
    kernel->kernarg_align = (uint32_t)hsam_read_(&in, 4);
    kernel->group_size = (uint32_t)hsam_read_(&in, 4);
    kernel->group_align = (uint32_t)hsam_read_(&in, 4);
    kernel->private_size = (uint32_t)hsam_read_(&in, 4);
    hsam_skip_(&in, 1 + 3 * 4); /* dynamic call stack, lanes, frames, flags */
    kernel->entry = hsam_read_(&in, 8);
    hsam_skip_(&in, 8 + 3 * 4 + 3 * 8 + 1 + 4 + 8 + 4 + 2 * 4); /* entry for waves, control directives */
  }
  return !in.failed && kernel->entry < object->text_size;
}

/* ---- writing ---- */

/** What a tool writes: code for one ISA. Numbers are those of hsa_profile_t and
 * hsa_default_float_rounding_mode_t; an executable must have the same ones to load the code. */
typedef struct hsam_code_source {
  const char* isa; /* as the agent names it */
  uint8_t profile;
  uint8_t rounding_mode;
  const void* text;
  uint64_t text_size;
  const hsam_code_kernel* kernels;
  uint32_t kernel_count;
} hsam_code_source;

typedef struct hsam_writer_ {
  unsigned char* bytes;
  size_t size, capacity;
  int failed;
} hsam_writer_;

static inline void hsam_append_(hsam_writer_* out, const void* bytes, size_t size) {
  if (out->capacity - out->size < size) {
    const size_t capacity = out->capacity + size + 4096;
    unsigned char* grown = (unsigned char*)realloc(out->bytes, capacity);
    if (grown == NULL) {
      out->failed = 1;
      return;
    }
    out->bytes = grown;
    out->capacity = capacity;
  }
  if (size != 0) memcpy(out->bytes + out->size, bytes, size);
  out->size += size;
}

static inline void hsam_put_(hsam_writer_* out, uint64_t value, unsigned size) {
  unsigned char bytes[8];
  unsigned i;
  for (i = 0; i < size; ++i) bytes[i] = (unsigned char)(value >> 8 * i);
  hsam_append_(out, bytes, size);
}

static inline void hsam_put_text_(hsam_writer_* out, const char* text, size_t size) {
  hsam_put_(out, size, 4);
  hsam_append_(out, text, size);
}

static inline void hsam_pad_(hsam_writer_* out, size_t alignment) {
  while (out->size % alignment != 0 && !out->failed) hsam_put_(out, 0, 1);
}

static inline void hsam_put_note_(hsam_writer_* notes, uint32_t type, const hsam_writer_* record) {
  hsam_put_(notes, 7, 4);
  hsam_put_(notes, record->size, 4);
  hsam_put_(notes, type, 4);
  hsam_append_(notes, "heddle\0", 8);
  hsam_append_(notes, record->bytes, record->size);
  hsam_pad_(notes, 4);
}

static inline void hsam_put_header_(hsam_writer_* out, const hsam_code_source* source) {
  unsigned i;
  hsam_put_(out, HSAM_CODE_OBJECT_VERSION, 4);
  hsam_put_(out, HSAM_CODE_OBJECT_ABI_VERSION, 4);
  hsam_put_(out, 0, 1); /* no program part */
  hsam_put_(out, 1, 1); /* an agent part */
  hsam_put_text_(out, source->isa, strlen(source->isa));
  hsam_put_(out, 1, 4); /* HSAIL 1.2 */
  hsam_put_(out, 2, 4);
  hsam_put_(out, sizeof(void*) == 8, 1); /* the machine model */
  hsam_put_(out, source->profile, 1);
  hsam_put_(out, source->rounding_mode, 1);
  for (i = 0; i < 16; ++i) hsam_put_(out, 0, 1); /* digest of the program, of which there is none */
  hsam_put_(out, 64, 4);                         /* alignment of text and data */
  hsam_put_(out, 64, 4);
  hsam_put_(out, 0, 1); /* not lazy, so that there are no options */
  hsam_put_text_(out, "", 0);
}

static inline void hsam_put_kernel_(hsam_writer_* out, const hsam_code_kernel* kernel) {
  hsam_put_text_(out, kernel->name, kernel->name_size);
  hsam_put_text_(out, kernel->name, kernel->name_size); /* for the linker */
  hsam_put_text_(out, "&module", 7);
  hsam_put_(out, 1, 1); /* program linkage */
  hsam_put_(out, kernel->kernarg_size, 8);
  hsam_put_(out, kernel->kernarg_align, 4);
  hsam_put_(out, kernel->group_size, 4);
  hsam_put_(out, kernel->group_align, 4);
  hsam_put_(out, kernel->private_size, 4);
  hsam_put_(out, 0, 1); /* no dynamic call stack */
  hsam_put_(out, 1, 4); /* lanes, frames and flags are for heddle's CPU agent */
  hsam_put_(out, 0, 8);
  hsam_put_(out, kernel->entry, 8);
  hsam_put_(out, HSAM_CODE_OBJECT_NO_ENTRY, 8); /* no second entry */
  hsam_put_(out, 0, 4);                         /* no control directives: work-group, grid, dimensions */
  hsam_put_(out, 0, 8);
  hsam_put_(out, 0, 8);
  hsam_put_(out, 0, 8);
  hsam_put_(out, 0, 8);
  hsam_put_(out, 0, 1);
  hsam_put_(out, UINT32_MAX, 4); /* dynamic group memory, sizes, exceptions */
  hsam_put_(out, 0, 8);
  hsam_put_(out, 0, 4);
  hsam_put_(out, 0, 8);
}

/* Writes the notes 1 to 10. Those that are neither header nor kernels are lists of nothing. */
static inline void hsam_put_notes_(hsam_writer_* out, const hsam_code_source* source) {
  uint32_t type, i;
  for (type = 1; type <= 10; ++type) {
    hsam_writer_ record = {NULL, 0, 0, 0};
    if (type == 1) hsam_put_header_(&record, source);
    if (type != 1) hsam_put_(&record, type == 3 ? source->kernel_count : 0, 4);
    if (type == 7) hsam_put_(&record, 0, 4); /* lines have two lists: files and rows */
    for (i = 0; type == 3 && i < source->kernel_count; ++i) hsam_put_kernel_(&record, &source->kernels[i]);
    hsam_put_note_(out, type, &record);
    out->failed |= record.failed;
    free(record.bytes);
  }
}

static inline void hsam_put_section_(hsam_writer_* out, uint32_t name, uint32_t type, uint64_t flags,
                                     uint64_t at, uint64_t size) {
  hsam_put_(out, name, 4);
  hsam_put_(out, type, 4);
  hsam_put_(out, flags, 8);
  hsam_put_(out, 0, 8);
  hsam_put_(out, at, 8);
  hsam_put_(out, size, 8);
  hsam_put_(out, 0, 8);
  hsam_put_(out, type == 0 ? 0 : 4, 8);
  hsam_put_(out, 0, 8);
}

/* The ELF header with its section table at `table`; e_type is ET_DYN, e_machine none. */
static inline void hsam_put_elf_header_(hsam_writer_* out, uint64_t table) {
  const unsigned char ident[16] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  hsam_append_(out, ident, sizeof ident);
  hsam_put_(out, 3, 2);
  hsam_put_(out, 0, 2);
  hsam_put_(out, 1, 4);
  hsam_put_(out, 0, 8);
  hsam_put_(out, 0, 8);
  hsam_put_(out, table, 8);
  hsam_put_(out, 0, 4);
  hsam_put_(out, 64, 2);
  hsam_put_(out, 56, 2);
  hsam_put_(out, 0, 2);
  hsam_put_(out, 64, 2);
  hsam_put_(out, 4, 2);
  hsam_put_(out, 3, 2);
}

/**
 * Writes a code object. The result belongs to the caller, who frees it with free(). Null without memory. The
 * same source gives the same bytes.
 */
static inline void* hsam_code_object_write(const hsam_code_source* source, size_t* size) {
  static const char names[] = "\0.note.heddle\0.text\0.shstrtab";
  hsam_writer_ notes = {NULL, 0, 0, 0}, out = {NULL, 0, 0, 0};
  uint64_t text_at, names_at, table;
  hsam_put_notes_(&notes, source);
  text_at = (64 + notes.size + 63) / 64 * 64;
  names_at = text_at + source->text_size;
  table = (names_at + sizeof names + 7) / 8 * 8;
  hsam_put_elf_header_(&out, table);
  hsam_append_(&out, notes.bytes, notes.size);
  hsam_pad_(&out, 64);
  hsam_append_(&out, source->text, (size_t)source->text_size);
  hsam_append_(&out, names, sizeof names);
  hsam_pad_(&out, 8);
  hsam_put_section_(&out, 0, 0, 0, 0, 0);
  hsam_put_section_(&out, 1, 7, 2, 64, notes.size);              /* notes, allocated */
  hsam_put_section_(&out, 14, 1, 6, text_at, source->text_size); /* code: allocated, executable */
  hsam_put_section_(&out, 20, 3, 0, names_at, sizeof names);     /* names of sections */
  free(notes.bytes);
  *size = out.size;
  if (!notes.failed && !out.failed) return out.bytes;
  free(out.bytes);
  return NULL;
}

#ifdef __cplusplus
}
#endif
#endif /* HSAM_CODE_OBJECT_H_ */
