#pragma once

#include <atomic>
#include <barrier>
#include <cstdio>
#include <thread>
#include <vector>

#include "clock.hpp"
#include "threads.hpp"

// Generations of std::barrier, by the same loop as src/workers/barrier.mjs: the first thread measures, and says which generation is the last.

namespace barrierbench {

struct Result {
  double generations;
  double seconds;
  double cpu;
};

struct Meeting {
  explicit Meeting(unsigned threads) : barrier(threads) {}
  std::barrier<> barrier;
  std::atomic<long> last{0};
};

inline Result lead(Meeting& meeting, long& passed, double seconds, bool isLast) {
  const auto usage = usageNow();
  const auto before = passed;
  const auto began = nowNanos();
  const auto end = began + static_cast<std::int64_t>(seconds * 1e9);
  for (bool goesOn = true; goesOn; ++passed) {
    goesOn = nowNanos() < end;
    // The generation after this one: another thread may not have looked yet since the one before it.
    if (!goesOn && isLast) meeting.last.store(passed + 2);
    meeting.barrier.arrive_and_wait();
  }
  const Result result{static_cast<double>(passed - before), static_cast<double>(nowNanos() - began) * 1e-9, cpuSeconds(usageNow()) - cpuSeconds(usage)};
  if (isLast) meeting.barrier.arrive_and_wait();
  return result;
}

inline void run(unsigned threads, double seconds, double warmUpSeconds) {
  Meeting meeting(threads);
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) {
    others.emplace_back([&] {
      long passed = 0;
      do {
        meeting.barrier.arrive_and_wait();
        ++passed;
      } while (passed != meeting.last.load());
    });
  }
  long passed = 0;
  lead(meeting, passed, warmUpSeconds, false);
  const auto [generations, elapsed, cpu] = lead(meeting, passed, seconds, true);
  for (auto& thread : others) thread.join();
  std::printf("{\"generationsPerSecond\":%.1f,\"cpuMicrosPerGeneration\":%.3f}\n", generations / elapsed, cpu * 1e6 / generations);
}

}  // namespace barrierbench
