#pragma once

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "clock.hpp"
#include "mutexbench.hpp"
#include "threads.hpp"
#include "wait-counts.hpp"

// Each thread: acquire, one step of a shared Mersenne Twister, release, one step of its own. The same phases as in
// `src/jobs/semabench.mjs`.

namespace semabench {

enum Phase { kGather, kWarmUp, kCount, kStop };

struct Point {
  unsigned workers;
  double seconds;
  double warmUpSeconds;
  double patienceSeconds;
};

struct Counts {
  std::uint64_t passes = 0;
  std::uint64_t wakeUps = 0;
  std::uint64_t futile = 0;
  std::uint64_t notifies = 0;
  std::uint64_t vain = 0;
};

// A thread's counts, for the main thread to read while it goes on. Only its own thread writes them.
struct alignas(128) Line {
  std::atomic<std::uint64_t> passes{0}, wakeUps{0}, futile{0}, notifies{0}, vain{0};
  std::int64_t worstNanos = 0;

  static void put(std::atomic<std::uint64_t>& word, std::uint64_t value) { word.store(value, std::memory_order_relaxed); }

  // As in JavaScript: all but the first of an acquire's sleeps began with a futile wake-up.
  void pass(const WaitCounts& before) {
    put(passes, passes.load(std::memory_order_relaxed) + 1);
    const auto slept = waitCounts.wakeUps - before.wakeUps;
    if (slept > 0) put(wakeUps, waitCounts.wakeUps);
    if (slept > 1) put(futile, futile.load(std::memory_order_relaxed) + slept - 1);
    if (waitCounts.wakeCalls == before.wakeCalls) return;
    put(notifies, waitCounts.wakeCalls);
    put(vain, waitCounts.vain);
  }

  Counts read() const { return {passes.load(), wakeUps.load(), futile.load(), notifies.load(), vain.load()}; }
};

struct alignas(128) Shared {
  explicit Shared(unsigned workers) : lines(workers) {}

  std::atomic<int> phase{kGather};
  alignas(128) std::atomic<unsigned> ready{0};
  alignas(128) std::mt19937 generator;
  std::vector<Line> lines;

  std::vector<Counts> read() const {
    std::vector<Counts> result;
    for (const auto& line : lines) result.push_back(line.read());
    return result;
  }
};

template <typename Semaphore>
void work(Semaphore& semaphore, Shared& shared, unsigned worker) {
  std::mt19937 own(worker);
  auto& line = shared.lines[worker];
  const auto pass = [&] {
    const auto before = waitCounts;
    semaphore.acquire();
    mutexbench::step(shared.generator);
    semaphore.release();
    line.pass(before);
    mutexbench::step(own);
  };
  const auto phase = [&] { return shared.phase.load(std::memory_order_relaxed); };
  pass();
  shared.ready.fetch_add(1);
  while (shared.phase.load() == kGather) sleepNanos(200'000);
  while (phase() == kWarmUp) pass();
  waitCounts.worstNanos = 0;
  while (phase() == kCount) pass();
  line.worstNanos = waitCounts.worstNanos;
}

inline bool areThrough(const std::vector<Counts>& before, const std::vector<Counts>& now) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i].passes == before[i].passes) return false;
  }
  return true;
}

// Replays the shared generator: its state is right only when no two threads were ever inside together.
inline bool excluded(const Shared& shared) {
  std::mt19937 replayed;
  unsigned long long steps = 0;
  for (const auto& counts : shared.read()) steps += counts.passes;
  replayed.discard(steps);
  return replayed == shared.generator;
}

struct Outcome {
  std::vector<Counts> before, after;
  double seconds, cpu;
  bool allThrough;
};

// `told`: whether the semaphore counts its sleeps; null else.
inline void print(const char* lock, bool told, const Outcome& outcome, const Shared& shared) {
  const auto& [before, after, seconds, cpu, allThrough] = outcome;
  Counts all;
  std::vector<std::uint64_t> counts;
  std::int64_t worst = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    counts.push_back(after[i].passes - before[i].passes);
    all.passes += counts.back();
    all.wakeUps += after[i].wakeUps - before[i].wakeUps;
    all.futile += after[i].futile - before[i].futile;
    all.notifies += after[i].notifies - before[i].notifies;
    all.vain += after[i].vain - before[i].vain;
    worst = std::max(worst, shared.lines[i].worstNanos);
  }
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  const auto fairness = *most == 0 ? 0.0 : static_cast<double>(*least) / static_cast<double>(*most);
  const auto truth = [](bool value) { return value ? "true" : "false"; };
  std::printf("{\"lock\":\"%s\",\"seconds\":%.4f,\"cpuSeconds\":%.4f,", lock, seconds, cpu);
  std::printf("\"handOvers\":%lu,\"handOversPerSecond\":%.1f,", all.passes, static_cast<double>(all.passes) / seconds);
  std::printf("\"fairness\":%.6f,\"allThrough\":%s,\"excluded\":%s,", fairness, truth(allThrough), truth(excluded(shared)));
  if (told) {
    std::printf("\"wakeUps\":%lu,\"futile\":%lu,\"notifies\":%lu,\"vain\":%lu,", all.wakeUps, all.futile, all.notifies, all.vain);
  } else {
    std::printf("\"wakeUps\":null,\"futile\":null,\"notifies\":null,\"vain\":null,");
  }
  std::printf("\"worstWaitMillis\":%.3f,\"maxRssKiB\":%ld,\"counts\":[", static_cast<double>(worst) * 1e-6, usageNow().ru_maxrss);
  for (std::size_t i = 0; i < counts.size(); ++i) std::printf("%s%lu", i == 0 ? "" : ",", counts[i]);
  std::printf("]}\n");
}

template <typename Semaphore>
void run(const char* lock, const Point& point, WaitingPolicy policy) {
  const auto semaphore = std::make_unique<Semaphore>(1, policy);
  const auto shared = std::make_unique<Shared>(point.workers);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < point.workers; ++i) {
    threads.emplace_back([&, i] { work(*semaphore, *shared, i); });
  }
  while (shared->ready.load() < point.workers) sleepNanos(200'000);
  const auto gathered = shared->read();
  shared->phase.store(kWarmUp);
  sleepSeconds(point.warmUpSeconds);
  const auto giveUpAt = nowNanos() + static_cast<std::int64_t>(point.patienceSeconds * 1e9);
  while (!areThrough(gathered, shared->read()) && nowNanos() < giveUpAt) sleepNanos(1'000'000);

  Outcome outcome{};
  outcome.allThrough = areThrough(gathered, shared->read());
  const auto usage = usageNow();
  shared->phase.store(kCount);
  const auto start = nowNanos();
  outcome.before = shared->read();
  sleepSeconds(point.seconds);
  outcome.after = shared->read();
  outcome.seconds = static_cast<double>(nowNanos() - start) * 1e-9;
  outcome.cpu = cpuSeconds(usageNow()) - cpuSeconds(usage);
  shared->phase.store(kStop);
  for (auto& thread : threads) thread.join();
  print(lock, Semaphore::kCounts, outcome, *shared);
}

}  // namespace semabench
