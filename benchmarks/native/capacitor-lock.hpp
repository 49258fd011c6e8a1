#pragma once

#include <atomic>

#include "twa-semaphore.hpp"

// A lock behind a capacitor: the paper's Listing 2, whose waiters sleep instead of spinning for ever.
template <typename Inner>
class alignas(128) CapacitorLock {
 public:
  static constexpr int kBypassLimit = 10;

  explicit CapacitorLock(WaitingPolicy policy) : inner_(policy), semaphore_(kBypassLimit, policy) {}

  void lock() {
    semaphore_.acquire();
    inner_.lock();
  }

  void unlock() {
    inner_.unlock();
    if (departures_.fetch_add(1) + 1 < kBypassLimit) return;
    // The last of its platoon, and no other thread is inside: the counter is ours until the semaphore opens.
    departures_.store(0);
    for (int i = 0; i < kBypassLimit; ++i) semaphore_.release();
  }

 private:
  Inner inner_;
  TwaSemaphore semaphore_;
  alignas(128) std::atomic<int> departures_{0};
};
