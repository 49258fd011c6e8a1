#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

// The two futex calls that the semaphore needs, on a private 32-bit word.

// Sleeps while the word holds `expected`; true when the kernel really put the thread to sleep and woke it.
inline bool futexWait(std::atomic<int>& word, int expected) {
  return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0) == 0;
}

inline void futexWakeOne(const void* word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}
