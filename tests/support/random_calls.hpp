// A random graph of lazy calls whose results are known: result k is 1 + k plus the results it takes, modulo 1000.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include <ashlar/delayed.hpp>
#include <support/counted.hpp>

class random_calls {
 public:
  random_calls(std::uint64_t seed, int count) : state_(seed * 2654435761u + 1) {
    using many = std::vector<counted>;
    const auto fails_now = fails;
    ran = std::make_shared<std::vector<std::atomic<bool>>>(static_cast<std::size_t>(count));
    const auto began = ran;
    const auto number = made;
    const auto stops_at = stop_at;
    const auto source = stop;
    const auto finish = [=](int k, int sum) {
      (*began)[static_cast<std::size_t>(k)] = true;
      if (*fails_now == k) throw std::domain_error("call " + std::to_string(k));
      if (++*number == *stops_at) source->request_stop();
      return counted((1 + k + sum) % 1000);
    };
    for (int k = 0; k < count; ++k) {
      std::vector<int> from;
      for (int n = k == 0 ? 0 : dice(5); n > 0; --n) from.push_back(dice(k));
      if (k + 1 == count && from.empty() && k > 0) from.push_back(k - 1);
      const ashlar::task_options options{.name = "call " + std::to_string(k),
                                         .priority = dice(8) == 0 ? dice(5) - 2 : 0};
      const auto at = [&](std::size_t i) { return calls_[static_cast<std::size_t>(from[i])]; };
      const int kind = dice(3);
      if (from.size() == 1 && kind == 0) {
        calls_.push_back(ashlar::delayed([=](counted a) { return finish(k, a.value); }, options)(at(0)));
      } else if (from.size() == 2 && kind == 0) {
        calls_.push_back(ashlar::delayed([=](const counted& a, counted&& b) { return finish(k, a.value + b.value); },
                                         options)(at(0), at(1)));
      } else if (from.size() == 2 && kind == 1) {
        calls_.push_back(ashlar::delayed([=](auto a, const auto& b) { return finish(k, a.value + b.value); }, options)(
            at(0), at(1)));
      } else {
        std::vector<ashlar::delayed<counted>> list;
        for (std::size_t i = 0; i < from.size(); ++i) list.push_back(at(i));
        calls_.push_back(ashlar::delayed(
            [=](const many& values) {
              int sum = 0;
              for (const counted& c : values) sum += c.value;
              return finish(k, sum);
            },
            options)(list));
      }
      from_.push_back(from);
    }
    needed.assign(static_cast<std::size_t>(count), false);
    needed.back() = true;
    for (std::size_t k = from_.size(); k-- > 0;) {
      if (!needed[k]) continue;
      ++reachable;
      for (int f : from_[k]) needed[static_cast<std::size_t>(f)] = true;
    }
  }

  const ashlar::delayed<counted>& root() const { return calls_.back(); }

  std::vector<int> expected() const {
    std::vector<int> values;
    for (std::size_t k = 0; k < from_.size(); ++k) {
      int sum = 1 + static_cast<int>(k);
      for (int f : from_[k]) sum += values[static_cast<std::size_t>(f)];
      values.push_back(sum % 1000);
    }
    return values;
  }

  /// True when a call that needs call `failed`, directly or not, was begun.
  bool ran_behind(int failed) const {
    std::vector<bool> behind(from_.size());
    behind[static_cast<std::size_t>(failed)] = true;
    for (std::size_t k = 0; k < from_.size(); ++k) {
      for (int f : from_[k]) {
        if (!behind[static_cast<std::size_t>(f)]) continue;
        behind[k] = true;
        if ((*ran)[k]) return true;
      }
    }
    return false;
  }
  void forget() {
    for (std::atomic<bool>& r : *ran) r = false;
  }

  std::shared_ptr<std::atomic<int>> made = std::make_shared<std::atomic<int>>(0);  // calls that were made
  std::shared_ptr<int> fails = std::make_shared<int>(-1);                          // the call that throws
  std::shared_ptr<int> stop_at = std::make_shared<int>(-1);                        // after so many calls, stop
  std::shared_ptr<std::stop_source> stop = std::make_shared<std::stop_source>();
  std::shared_ptr<std::vector<std::atomic<bool>>> ran;  // by call: it was begun
  std::vector<bool> needed;                             // by the last call
  int reachable = 0;

 private:
  int dice(int n) {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<int>((state_ >> 33) % static_cast<std::uint64_t>(n));
  }

  std::uint64_t state_;
  std::vector<ashlar::delayed<counted>> calls_;
  std::vector<std::vector<int>> from_;
};
