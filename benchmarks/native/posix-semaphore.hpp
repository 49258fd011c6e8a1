#pragma once

#include <semaphore.h>

#include <cerrno>

#include "wait-chain.hpp"

// The system's own semaphore, for reference. It promises no order.
class PosixSemaphore {
 public:
  static constexpr bool kCounts = false;

  PosixSemaphore(std::int64_t permits, WaitingPolicy) { sem_init(&sem_, 0, static_cast<unsigned>(permits)); }
  ~PosixSemaphore() { sem_destroy(&sem_); }
  PosixSemaphore(const PosixSemaphore&) = delete;
  PosixSemaphore& operator=(const PosixSemaphore&) = delete;

  void acquire() {
    // The first look here, so that only a wait is timed.
    if (sem_trywait(&sem_) == 0) return;
    const Waited waited;
    while (sem_wait(&sem_) != 0 && errno == EINTR) {
    }
  }

  void release() { sem_post(&sem_); }

 private:
  sem_t sem_;
};
