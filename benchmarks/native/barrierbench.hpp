#pragma once

#include <atomic>
#include <barrier>
#include <cstdio>
#include <thread>
#include <vector>

#include "clock.hpp"
#include "threads.hpp"

// Generations of std::barrier, by the same loop as src/workers/barrier.mjs: the first thread measures, and says before an arrival that it is the
// last.

namespace barrierbench {

struct Result {
  double generations;
  double seconds;
  double cpu;
};

inline Result lead(std::barrier<>& barrier, std::atomic<bool>& isOver, double seconds, bool isLast) {
  const auto usage = usageNow();
  const auto began = nowNanos();
  const auto end = began + static_cast<std::int64_t>(seconds * 1e9);
  double generations = 0;
  for (bool goesOn = true; goesOn; ++generations) {
    goesOn = nowNanos() < end;
    if (!goesOn && isLast) isOver.store(true);
    barrier.arrive_and_wait();
  }
  return {generations, static_cast<double>(nowNanos() - began) * 1e-9, cpuSeconds(usageNow()) - cpuSeconds(usage)};
}

inline void run(unsigned threads, double seconds, double warmUpSeconds) {
  std::barrier<> barrier(threads);
  std::atomic<bool> isOver{false};
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) {
    others.emplace_back([&] {
      do barrier.arrive_and_wait();
      while (!isOver.load());
    });
  }
  lead(barrier, isOver, warmUpSeconds, false);
  const auto [generations, elapsed, cpu] = lead(barrier, isOver, seconds, true);
  for (auto& thread : others) thread.join();
  std::printf("{\"generationsPerSecond\":%.1f,\"cpuMicrosPerGeneration\":%.3f}\n", generations / elapsed, cpu * 1e6 / generations);
}

}  // namespace barrierbench
