// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The result of printf in HIP, the number of characters. The host makes the text only when the kernel has ended, so kernels compute its length
// themselves, from the record that they have written. What counts here is what src/support/kernel_printf.h and printf_conversion.h print by the
// functions of the GNU C library; the tests compare them.

// ---- floating-point numbers ----

#define DECIMAL_BASE 1000000000u
#define DECIMAL_WORD 9    // digits
#define DECIMAL_WORDS 86  // the longest number, the largest subnormal one, has 767 digits

// All digits of a number: an integer, the last digits of which stand behind the point.
struct decimal {
  uint words[DECIMAL_WORDS];  // the lowest first
  int count, digits, behind;
};

static void multiply_decimal(struct decimal* number, uint factor) {
  ulong carry = 0;
  for (int i = 0; i < number->count; i++) {
    carry += (ulong)number->words[i] * factor;
    number->words[i] = (uint)(carry % DECIMAL_BASE);
    carry /= DECIMAL_BASE;
  }
  // A factor below the base carries less than the base.
  if (carry != 0) number->words[number->count++] = (uint)carry;
}

// Multiplies by base^exponent, by `most` factors at a time.
static void scale_decimal(struct decimal* number, uint base, int exponent, int most) {
  while (exponent > 0) {
    uint factor = 1;
    for (int i = 0; i < most && exponent > 0; i++, exponent--) factor *= base;
    multiply_decimal(number, factor);
  }
}

static int digits_of_integer(ulong value) {
  int digits = 1;
  for (; value >= 10; value /= 10) digits++;
  return digits;
}

// Takes a finite number apart, whose sign does not count. x / 2^n is x * 5^n / 10^n, so that the digits are those of an integer.
static void make_decimal(double value, struct decimal* number) {
  ulong bits = as_ulong(value) & 0x7fffffffffffffff;
  int exponent = max((int)(bits >> 52), 1) - 1075;
  ulong fraction = (bits & 0xfffffffffffff) | (bits >> 52 != 0 ? 1ul << 52 : 0);
  for (; exponent < 0 && (fraction & 1) == 0 && fraction != 0; exponent++) fraction >>= 1;
  if (fraction == 0) exponent = 0;
  number->words[0] = (uint)(fraction % DECIMAL_BASE);
  number->words[1] = (uint)(fraction / DECIMAL_BASE);
  number->count = number->words[1] != 0 ? 2 : 1;
  scale_decimal(number, 2, exponent, 29);
  scale_decimal(number, 5, -exponent, 12);
  number->digits = (number->count - 1) * DECIMAL_WORD + digits_of_integer(number->words[number->count - 1]);
  number->behind = max(-exponent, 0);
}

static uint digit_of(const struct decimal* number, int at) {
  uint word = number->words[at / DECIMAL_WORD];
  for (int i = at % DECIMAL_WORD; i > 0; i--) word /= 10;
  return word % 10;
}

// Whether a number is rounded up, to the nearest and ties to even, if it loses its last digits.
static bool rounds_up(const struct decimal* number, int lost) {
  if (lost <= 0 || lost > number->digits) return false;
  uint first = digit_of(number, lost - 1);
  if (first != 5) return first > 5;
  for (int i = 0; i < lost - 1; i++)
    if (digit_of(number, i) != 0) return true;
  return lost < number->digits && digit_of(number, lost) % 2 != 0;
}

// A number that has lost digits.
struct rounded_decimal {
  int longer;       // 1 if it has become a power of ten, and has one digit more before those that are lost
  int significant;  // digits up to the last one that is not 0
};

static struct rounded_decimal round_decimal(const struct decimal* number, int lost) {
  bool up = rounds_up(number, lost);
  int at = max(lost, 0);
  while (at < number->digits && digit_of(number, at) == (up ? 9 : 0)) at++;
  struct rounded_decimal result = {up && at >= number->digits, max(number->digits - at, 1)};
  return result;
}

// ---- conversions ----

// A conversion of a format, as heddle::PrintfConversion.
struct printf_conversion {
  bool sign, alternate;  // "+" or a blank; "#"
  bool is_argument[2];   // "*" as width and as precision
  int width, precision;  // a negative precision is none
  int size;              // bytes of an integer
  char letter;
};

// No text is longer because a format asks for more.
#define PRINTF_LARGEST_SIZE 65536

// The characters of a text with a point, behind which there are so many digits.
static int with_point(const struct printf_conversion* conversion, int before, int behind) {
  return before + behind + (behind > 0 || conversion->alternate);
}

static int fixed_length(const struct printf_conversion* conversion, const struct decimal* number, int precision) {
  int longer = round_decimal(number, number->behind - precision).longer;
  return with_point(conversion, max(number->digits + longer - number->behind, 1), precision);
}

// The exponent of a number with so many digits behind the first one.
static int decimal_exponent(const struct decimal* number, int precision) {
  int exponent = number->digits - 1 - number->behind;
  return exponent + round_decimal(number, number->digits - 1 - precision).longer;
}

static int scientific_length(const struct printf_conversion* conversion, int exponent, int precision) {
  return with_point(conversion, 1, precision) + 2 + max(digits_of_integer(abs(exponent)), 2);
}

static int general_length(const struct printf_conversion* conversion, const struct decimal* number, int precision) {
  int digits = max(precision, 1);
  int exponent = decimal_exponent(number, digits - 1);
  int shown = conversion->alternate ? digits : round_decimal(number, number->digits - digits).significant;
  if (exponent < -4 || exponent >= digits) return scientific_length(conversion, exponent, shown - 1);
  return with_point(conversion, max(exponent, 0) + 1, max(shown - 1 - exponent, 0));
}

static int hexadecimal_length(const struct printf_conversion* conversion, double value) {
  ulong bits = as_ulong(value) & 0x7fffffffffffffff;
  int exponent = bits == 0 ? 0 : max((int)(bits >> 52), 1) - 1023;
  int digits = 13;
  for (ulong rest = bits & 0xfffffffffffff; digits > 0 && (rest & 15) == 0; rest >>= 4) digits--;
  if (conversion->precision >= 0) digits = conversion->precision;
  return with_point(conversion, 3, digits) + 2 + digits_of_integer(abs(exponent));
}

static int float_length(const struct printf_conversion* conversion, double value) {
  int sign = conversion->sign || as_ulong(value) >> 63 != 0;
  if (isnan(value) || isinf(value)) return sign + 3;
  char letter = conversion->letter | 0x20;
  if (letter == 'a') return sign + hexadecimal_length(conversion, value);
  struct decimal number;
  make_decimal(value, &number);
  int precision = conversion->precision < 0 ? 6 : conversion->precision;
  if (letter == 'f') return sign + fixed_length(conversion, &number, precision);
  if (letter == 'g') return sign + general_length(conversion, &number, precision);
  return sign + scientific_length(conversion, decimal_exponent(&number, precision), precision);
}

static int signed_length(const struct printf_conversion* conversion, ulong bits) {
  int unused = 64 - 8 * conversion->size;
  long value = (long)(bits << unused) >> unused;
  int digits = value == 0 && conversion->precision == 0 ? 0 : digits_of_integer(abs(value));
  return max(digits, conversion->precision) + (conversion->sign || value < 0);
}

static int unsigned_length(const struct printf_conversion* conversion, ulong bits) {
  ulong value = bits & (~0ul >> (64 - 8 * conversion->size));
  int digits = conversion->letter == 'u' ? digits_of_integer(value)
               : conversion->letter == 'o' ? max((66 - (int)clz(value)) / 3, 1)
                                           : max((67 - (int)clz(value)) / 4, 1);
  if (value == 0 && conversion->precision == 0) digits = 0;
  int length = max(digits, conversion->precision);
  if (!conversion->alternate || conversion->letter == 'u') return length;
  if (conversion->letter == 'o') return length == digits && (value != 0 || digits == 0) ? length + 1 : length;
  return value != 0 ? length + 2 : length;
}

// The C library prints pointers as it does "%#lx", but with a sign if it is asked for one.
static int pointer_length(const struct printf_conversion* conversion, ulong value) {
  if (value == 0) return 5;  // (nil)
  return max((67 - (int)clz(value)) / 4, conversion->precision) + 2 + conversion->sign;
}

static int shortened(const struct printf_conversion* conversion, int length) {
  return conversion->precision < 0 ? length : min(length, conversion->precision);
}

// The characters for a value, without those that fill the width.
__attribute__((always_inline)) static int value_length(const struct printf_conversion* conversion, ulong bits, bool has_floats) {
  switch (conversion->letter) {
    case 'd':
    case 'i':
      return signed_length(conversion, bits);
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      return unsigned_length(conversion, bits);
    case 'c':
      return shortened(conversion, 1);
    case 'p':
      return pointer_length(conversion, bits);
    default:
      return has_floats ? float_length(conversion, as_double(bits)) : 0;
  }
}

// ---- formats ----

static bool is_one_of(char letter, constant char* letters) {
  for (; *letters != 0; letters++)
    if (*letters == letter) return true;
  return false;
}

static const char* take_printf_size(const char* at, int* size, bool* is_argument) {
  *is_argument = *at == '*';
  if (*is_argument) return at + 1;
  for (; *at >= '0' && *at <= '9'; at++) *size = min(max(*size, 0) * 10 + (*at - '0'), PRINTF_LARGEST_SIZE);
  return at;
}

static const char* take_printf_modifier(const char* at, int* size) {
  *size = 4;
  if (*at == 'h') {
    *size = at[1] == 'h' ? 1 : at[1] == 'l' ? 4 : 2;
    return at + (at[1] == 'h' || at[1] == 'l' ? 2 : 1);
  }
  if (!is_one_of(*at, "ljztqL")) return at;
  *size = 8;
  return at + (at[0] == 'l' && at[1] == 'l' ? 2 : 1);
}

// Returns the end of the conversion that begins with a percent sign, null if there is none.
static const char* take_printf_conversion(const char* at, struct printf_conversion* conversion) {
  conversion->sign = conversion->alternate = false;
  for (at++; is_one_of(*at, "-+ #0"); at++) {
    conversion->sign |= *at == '+' || *at == ' ';
    conversion->alternate |= *at == '#';
  }
  conversion->width = 0;
  conversion->precision = -1;
  conversion->is_argument[1] = false;
  at = take_printf_size(at, &conversion->width, &conversion->is_argument[0]);
  if (*at == '.') {
    conversion->precision = 0;
    at = take_printf_size(at + 1, &conversion->precision, &conversion->is_argument[1]);
  }
  at = take_printf_modifier(at, &conversion->size);
  conversion->letter = *at;
  return is_one_of(*at, "diouxXcsfFeEgGaApn") ? at + 1 : 0;
}

// The part of a record that has not been read: units of 8 bytes, which begin at multiples of 4.
struct printf_arguments {
  const uint* at;
  const uint* end;
};

static bool take_printf_unit(struct printf_arguments* arguments, ulong* value) {
  if (arguments->end - arguments->at < 2) return false;
  *value = arguments->at[0] | (ulong)arguments->at[1] << 32;
  arguments->at += 2;
  return true;
}

// Returns the characters of a string, -1 if it has no end.
static int take_printf_string(struct printf_arguments* arguments) {
  const char* text = (const char*)arguments->at;
  int room = (int)((const char*)arguments->end - text), length = 0;
  while (length < room && text[length] != 0) length++;
  if (length == room) return -1;
  arguments->at += min(length / 8 * 2 + 2, room / 4);
  return length;
}

static bool take_printf_stars(struct printf_conversion* conversion, struct printf_arguments* arguments) {
  ulong value;
  if (conversion->is_argument[0]) {
    if (!take_printf_unit(arguments, &value)) return false;
    conversion->width = (int)min(abs((long)(int)value), (ulong)PRINTF_LARGEST_SIZE);
  }
  if (conversion->is_argument[1]) {
    if (!take_printf_unit(arguments, &value)) return false;
    conversion->precision = min((int)value, PRINTF_LARGEST_SIZE);
  }
  return true;
}

// Returns the characters for a conversion, -1 if the record has no such argument.
__attribute__((always_inline)) static int take_printf_argument(struct printf_conversion* conversion, struct printf_arguments* arguments,
                                                                bool has_floats) {
  if (!take_printf_stars(conversion, arguments)) return -1;
  int length = 0;
  ulong value;
  if (conversion->letter == 's') {
    length = take_printf_string(arguments);
    if (length < 0) return -1;
    length = shortened(conversion, length);
  } else {
    if (!take_printf_unit(arguments, &value)) return -1;
    if (conversion->letter == 'n') return 0;
    length = value_length(conversion, value, has_floats);
  }
  return max(length, conversion->width);
}

__attribute__((always_inline)) static int printf_result(global const uint* record, const char* format, bool has_floats) {
  if (record == 0) return -1;
  struct printf_arguments arguments = {record + 1, record + (record[0] >> 2) / 4};
  if ((record[0] & 2) != 0) {
    arguments.at += 2;
    if (format == 0) return -1;
  } else {
    format = (const char*)arguments.at;
    if (take_printf_string(&arguments) < 0) return -1;
  }
  int length = 0;
  while (*format != 0) {
    struct printf_conversion conversion;
    const char* behind = *format == '%' && format[1] != '%' ? take_printf_conversion(format, &conversion) : 0;
    if (behind == 0) {  // also a percent sign that begins no conversion
      format += *format == '%' && format[1] == '%' ? 2 : 1;
      length++;
      continue;
    }
    int more = take_printf_argument(&conversion, &arguments, has_floats);
    if (more < 0) return -1;
    length += more;
    format = behind;
  }
  return length;
}

// Returns what printf returns for a record of HIP: the characters that the host makes of it, -1 if there is no record, or if it does not fit its
// format. `format` is that for which the record has a hash, if it has one. Kernels that need not look for floating-point numbers compile in less than
// half the time.
__attribute__((noinline, pure)) int __heddle_printf_result(global const uint* record, const char* format) {
  return printf_result(record, format, true);
}
__attribute__((noinline, pure)) int __heddle_printf_result_without_floats(global const uint* record, const char* format) {
  return printf_result(record, format, false);
}
