#pragma once

#include <cstdint>

// Marsaglia's 32-bit xorshift: three shifts and three exclusive ors, the same instructions in C++ and in JavaScript.
inline std::uint32_t xorshift(std::uint32_t x) {
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return x;
}
