#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "clock.hpp"
#include "futex.hpp"

// What waiting costs one thread: returns from the kernel, calls into it to wake, those of them that found no sleeper, and
// the longest wait.
struct alignas(128) WaitCounts {
  std::uint64_t wakeUps = 0;
  std::uint64_t wakeCalls = 0;
  std::uint64_t vain = 0;
  std::int64_t worstNanos = 0;
};

inline thread_local WaitCounts waitCounts;

inline void countedWait(const void* word, int expected) {
  if (futexWait(word, expected)) ++waitCounts.wakeUps;
}

inline void countedWake(const void* word, int most) {
  ++waitCounts.wakeCalls;
  if (futexWake(word, most) == 0) ++waitCounts.vain;
}

// Lives as long as a wait.
class Waited {
 public:
  Waited() : since_(nowNanos()) {}
  ~Waited() { waitCounts.worstNanos = std::max(waitCounts.worstNanos, nowNanos() - since_); }
  Waited(const Waited&) = delete;
  Waited& operator=(const Waited&) = delete;

 private:
  const std::int64_t since_;
};
