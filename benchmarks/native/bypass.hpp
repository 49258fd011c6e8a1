#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

// As `src/lib/bypass.mjs`: for each admission, how many were admitted before it that had come after it.
inline std::vector<std::uint32_t> bypasses(const std::vector<std::uint32_t>& arrivals) {
  std::vector<std::uint32_t> passed(arrivals.size());
  std::vector<std::uint32_t> waiting;
  std::uint32_t next = 0;
  for (std::size_t admitted = 0; admitted < arrivals.size(); ++admitted) {
    const auto arrival = arrivals[admitted];
    auto earlier = waiting.size();
    if (arrival >= next) {
      for (; next < arrival; ++next) waiting.push_back(next);
      earlier = waiting.size();
      ++next;
    } else {
      const auto self = std::find(waiting.begin(), waiting.end(), arrival);
      earlier = static_cast<std::size_t>(self - waiting.begin());
      waiting.erase(self);
    }
    passed[admitted] = static_cast<std::uint32_t>(admitted - (arrival - earlier));
  }
  return passed;
}

struct Bypass {
  std::size_t admissions;
  std::uint32_t worst;
  std::uint32_t p999;
};

inline Bypass summarizeBypass(const std::vector<std::uint32_t>& arrivals) {
  auto sorted = bypasses(arrivals);
  if (sorted.empty()) return {0, 0, 0};
  std::sort(sorted.begin(), sorted.end());
  const auto at = static_cast<std::size_t>(std::ceil(0.999 * static_cast<double>(sorted.size())));
  return {sorted.size(), sorted.back(), sorted[at - 1]};
}
