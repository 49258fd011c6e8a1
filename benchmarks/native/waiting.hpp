#pragma once

#include <climits>
#include <cstdint>

#include "clock.hpp"
#include "wait-counts.hpp"

// How a waiter that is not yet granted lets time pass, and what a post does about it. Both as the paper has them: a waiter that spins never
// sleeps, and one that sleeps does not spin before.
struct Spinning {
  static constexpr bool kSleeps = false;
  static void await(const void*, int, std::int64_t = 0) { pauseCpu(); }
  static void wakeAll(const void*) {}
};

// With the delay in proportion to the distance that Listing 1 suggests.
struct Proportional : Spinning {
  static void await(const void*, int, std::int64_t distance) {
    for (std::int64_t pauses = 0; pauses <= distance; ++pauses) pauseCpu();
  }
};

struct Sleeping {
  static constexpr bool kSleeps = true;
  static void await(const void* word, int seen, std::int64_t = 0) { countedWait(word, seen); }
  static void wakeAll(const void* word) { countedWake(word, INT_MAX); }
};
