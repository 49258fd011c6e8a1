#pragma once

#include <atomic>
#include <cstdint>

#include "wait-chain.hpp"

// The paper's Listing 4: a waiter watches a channel's sequence instead of its condition. KeyWait is the strict one: it returns when the
// sequence has changed.
class WaitChannel {
 public:
  static WaitChannel& of(const void* owner, std::uint64_t ticket) {
    static constexpr std::uint64_t kChannels = 4096;
    alignas(4096) static WaitChannel channels[kChannels];
    return channels[(reinterpret_cast<std::uintptr_t>(owner) + ticket * 17) & (kChannels - 1)];
  }

  std::uint64_t monitor() const { return sequence_.load(); }

  void signal() {
    sequence_.fetch_add(1);
    WaitElement::signal(top_.exchange(nullptr));
  }

  template <typename Waiting>
  void await(std::uint64_t sequence) {
    while (sequence_.load() == sequence) {
      WaitElement element;
      WaitElement* const below = top_.exchange(&element);
      if (sequence_.load() != sequence) {
        leave<Waiting>(element, below);
        return;
      }
      element.await<Waiting>();
      WaitElement::signal(below);
    }
  }

 private:
  // The listing does not undo the push: the waiters below have to look again anyway.
  template <typename Waiting>
  void leave(WaitElement& element, WaitElement* below) {
    WaitElement* const above = element.signalled() ? nullptr : top_.exchange(nullptr);
    WaitElement::signal(below);
    WaitElement::signal(above);
    element.await<Waiting>();
  }

  std::atomic<WaitElement*> top_{nullptr};
  std::atomic<std::uint64_t> sequence_{0};
};

template <typename Waiting>
class alignas(128) MonitorSemaphore {
 public:
  static constexpr bool kCounts = true;

  MonitorSemaphore(std::int64_t permits, WaitingPolicy) : grant_(permits) {}

  void acquire() {
    const auto ticket = ticket_.fetch_add(1);
    if (grant_.load() > ticket) return;
    const Waited waited;
    auto& channel = WaitChannel::of(this, ticket);
    for (;;) {
      const auto sequence = channel.monitor();
      if (grant_.load() > ticket) return;
      channel.template await<Waiting>(sequence);
    }
  }

  // The listing passes the key where KeySignal takes the channel.
  void release() { WaitChannel::of(this, grant_.fetch_add(1)).signal(); }

 private:
  std::atomic<std::int64_t> ticket_{0};
  std::atomic<std::int64_t> grant_;
};
