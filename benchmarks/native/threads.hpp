#pragma once

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <thread>

// What both contended benchmarks need around their work.

inline void sleepNanos(std::int64_t nanos) { std::this_thread::sleep_for(std::chrono::nanoseconds(nanos)); }

inline void sleepSeconds(double seconds) { sleepNanos(static_cast<std::int64_t>(seconds * 1e9)); }

inline rusage usageNow() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

inline double cpuSeconds(const rusage& usage) {
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}
