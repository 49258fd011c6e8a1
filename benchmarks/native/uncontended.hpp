#pragma once

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <vector>

#include "clock.hpp"
#include "wait-chain.hpp"

// Nanoseconds for one acquire and release on one thread, and for two bare atomic additions beside it.

struct Blocks {
  std::vector<double> nanos;

  template <typename Body>
  void measure(long pairs, Body body) {
    const auto start = nowNanos();
    for (long i = 0; i < pairs; ++i) body();
    nanos.push_back(static_cast<double>(nowNanos() - start) / static_cast<double>(pairs));
  }

  double min() const { return *std::min_element(nanos.begin(), nanos.end()); }

  double median() const {
    auto sorted = nanos;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

template <typename Semaphore>
void uncontended(const char* lock, long pairs, WaitingPolicy policy) {
  constexpr int kBlocks = 11;
  alignas(128) static std::atomic<std::int64_t> words[2];
  Semaphore semaphore(1, policy);
  Blocks pair, adds;
  for (int block = 0; block < kBlocks; ++block) {
    adds.measure(pairs, [] {
      words[0].fetch_add(1);
      words[1].fetch_add(1);
    });
    pair.measure(pairs, [&] {
      semaphore.acquire();
      semaphore.release();
    });
  }
  std::printf(
      "{\"lock\":\"%s\",\"pairs\":%ld,\"blocks\":%d,\"pairNanosMin\":%.3f,\"pairNanosMedian\":%.3f,"
      "\"twoAddsNanosMin\":%.3f,\"twoAddsNanosMedian\":%.3f}\n",
      lock, pairs, kBlocks, pair.min(), pair.median(), adds.min(), adds.median());
}
