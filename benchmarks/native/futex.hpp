#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

// The futex calls that the semaphores need, on a private 32-bit word.

// Sleeps while the word holds `expected`; true when the kernel really put the thread to sleep and woke it.
inline bool futexWait(const void* word, int expected) {
  return syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0) == 0;
}

// How many it woke.
inline long futexWake(const void* word, int most) { return syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, most, nullptr, nullptr, 0); }

inline void futexWakeOne(const void* word) { futexWake(word, 1); }
