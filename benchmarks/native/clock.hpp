#pragma once

#include <cstdint>
#include <ctime>

inline std::int64_t nowNanos() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

inline void pauseCpu() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Polls until `done` holds or the budget is spent. The clock is read every 32nd time only: it costs more than a pause.
template <typename Done>
bool spinUntil(std::int64_t budgetNanos, Done done) {
  if (budgetNanos <= 0) return done();
  const std::int64_t deadline = nowNanos() + budgetNanos;
  for (unsigned polls = 1;; ++polls) {
    if (done()) return true;
    pauseCpu();
    if (polls % 32 == 0 && nowNanos() >= deadline) return done();
  }
}
