// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages that are put together by several calls: what assert prints in HIP, and printf in code that was compiled for calls of the host. A
// message is one record in the buffer of printf, with its format in it (docs/device-libraries.md, "printf").

// The bytes of a message, whose length must be known when it begins. What does not fit is left out.
#define MESSAGE_SIZE 2048u
// Arguments take multiples of these bytes.
#define MESSAGE_UNIT 8u

// The address of the message, and above it the number of units that it has.
static ulong message_of(global uchar* record, uint units) { return (ulong)record | (ulong)units << 48; }
static global uchar* record_of(ulong message) { return (global uchar*)(message & 0xffffffffffff); }
static uint units_of(ulong message) { return (uint)(message >> 48); }

static ulong begin_message(void) {
  global uint* record = __printf_alloc(4 + MESSAGE_SIZE);
  if (record == 0) return 0;
  record[0] = (4 + MESSAGE_SIZE) << 2;  // the format is in the record
  for (uint i = 0; i < MESSAGE_SIZE / 4; i++) record[1 + i] = 0;
  return message_of((global uchar*)&record[1], 0);
}

// The length includes the NUL at the end. A longer string loses its end.
static ulong append_string(ulong message, const char* text, ulong length) {
  global uchar* record = record_of(message);
  if (record == 0) return 0;
  uint used = units_of(message), room = MESSAGE_SIZE - used * MESSAGE_UNIT;
  if (room == 0) return message;
  uint count = text == 0 || length == 0 ? 1 : length < room ? (uint)length : room;
  for (uint i = 0; i + 1 < count; i++) record[used * MESSAGE_UNIT + i] = (uchar)text[i];
  return message_of(record, used + (count + MESSAGE_UNIT - 1) / MESSAGE_UNIT);
}

static ulong append_number(ulong message, bool is_there, ulong value) {
  global uchar* record = record_of(message);
  uint used = units_of(message);
  if (record == 0 || !is_there || used * MESSAGE_UNIT >= MESSAGE_SIZE) return message;
  // Records begin at multiples of 4.
  global uint* words = (global uint*)(record + used * MESSAGE_UNIT);
  words[0] = (uint)value;
  words[1] = (uint)(value >> 32);
  return message_of(record, used + 1);
}

// What the call returns that appends the last part: the message, or in its place the result of printf.
static ulong message_or_result(ulong message, uint is_last) {
  if (is_last == 0) return message;
  global uchar* record = record_of(message);
  return (ulong)(long)__heddle_printf_result(record == 0 ? 0 : (global const uint*)record - 1, 0);
}

#define MESSAGES(NAME) \
  ulong __ockl_##NAME##_append_args(ulong message, uint count, ulong a0, ulong a1, ulong a2, ulong a3, ulong a4, ulong a5, ulong a6, \
                                    uint is_last) { \
    message = append_number(message, count > 0, a0); \
    message = append_number(message, count > 1, a1); \
    message = append_number(message, count > 2, a2); \
    message = append_number(message, count > 3, a3); \
    message = append_number(message, count > 4, a4); \
    message = append_number(message, count > 5, a5); \
    return message_or_result(append_number(message, count > 6, a6), is_last); \
  } \
  ulong __ockl_##NAME##_append_string_n(ulong message, const char* text, ulong length, uint is_last) { \
    return message_or_result(append_string(message, text, length), is_last); \
  }
MESSAGES(printf)
MESSAGES(fprintf)
ulong __ockl_printf_begin(ulong version) { return begin_message(); }
ulong __ockl_fprintf_stdout_begin(void) { return begin_message(); }
ulong __ockl_fprintf_stderr_begin(void) { return begin_message(); }

static ulong size_with_nul(const char* text) {
  ulong length = 0;
  if (text != 0)
    while (text[length] != 0) length++;
  return length + 1;
}

// What assert calls where HIP's headers do not define it.
__attribute__((noinline)) void __assert_fail(const char* assertion, const char* file, uint line, const char* function) {
  const char format[] = "%s:%u: %s: assertion `%s' failed\n";
  ulong message = append_string(begin_message(), format, sizeof format);
  message = append_string(message, file, size_with_nul(file));
  message = append_number(message, true, line);
  message = append_string(message, function, size_with_nul(function));
  append_string(message, assertion, size_with_nul(assertion));
  __builtin_trap();
}
