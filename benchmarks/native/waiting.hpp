#pragma once

#include <climits>

#include "clock.hpp"
#include "wait-counts.hpp"

// How a waiter that is not yet granted lets time pass, and what a post does about it. Both as the paper has them: a waiter that spins never
// sleeps, and one that sleeps does not spin before.
struct Spinning {
  static constexpr bool kSleeps = false;
  static void await(const void*, int) { pauseCpu(); }
  static void wakeAll(const void*) {}
};

struct Sleeping {
  static constexpr bool kSleeps = true;
  static void await(const void* word, int seen) { countedWait(word, seen); }
  static void wakeAll(const void* word) { countedWake(word, INT_MAX); }
};
