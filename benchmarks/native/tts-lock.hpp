#pragma once

#include <pthread.h>

#include <atomic>

#include "clock.hpp"
#include "futex.hpp"
#include "wait-chain.hpp"

// A test-and-test-and-set lock without backoff. A thread that finds it free takes it; any other spins for a while, then sleeps.
class alignas(128) TtsLock {
 public:
  explicit TtsLock(WaitingPolicy policy) : spinNanos_(policy.spinNanos) {}

  void lock() {
    if (take()) return;
    if (spinUntil(spinNanos_, [this] { return word_.load() == kFree && take(); })) return;
    // Others may sleep as well, so a thread that has slept leaves the word that says so.
    while (word_.exchange(kSleepers) != kFree) futexWait(&word_, kSleepers);
  }

  void unlock() {
    if (word_.exchange(kFree) == kSleepers) futexWakeOne(&word_);
  }

 private:
  static constexpr int kFree = 0;
  static constexpr int kTaken = 1;
  static constexpr int kSleepers = 2;

  bool take() {
    int expected = kFree;
    return word_.compare_exchange_strong(expected, kTaken);
  }

  std::atomic<int> word_{kFree};
  const std::int64_t spinNanos_;
};

// The system's own mutex, for reference.
class alignas(128) PthreadLock {
 public:
  explicit PthreadLock(WaitingPolicy) {}
  PthreadLock(const PthreadLock&) = delete;
  PthreadLock& operator=(const PthreadLock&) = delete;

  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};
