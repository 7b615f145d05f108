// SPDX-License-Identifier: GPL-3.0-or-later
//
// One chart: a line in steps for each search shows the fewest fences that were verified so far, a dashed one
// the refinements that came with them (if there were any at all), and a dot is a call: filled if it was
// verified, hollow if not. The picture is SVG; its colours can be distinguished when printed in grey.
#include "synth/search_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace fenceline::synth {
namespace {

constexpr double kWidth = 720, kHeight = 400, kLeft = 60, kRight = 120, kTop = 50, kBottom = 55;
constexpr std::array<const char*, 5> kColours = {"#0b5394", "#b45f06", "#38761d", "#741b47", "#444444"};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

// 1, 2 or 5 times a power of ten: about `parts` of them make up `range`.
double tick_distance(double range, double parts) {
  const double power = std::pow(10, std::floor(std::log10(range / parts)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (range / (factor * power) <= parts) return factor * power;
  return 10 * power;
}

class Chart {
 public:
  explicit Chart(const std::vector<PlottedSearch>& searches) : searches_(searches) {
    for (const PlottedSearch& search : searches)
      for (const SearchEvent& event : search.trace) {
        seconds_ = std::max(seconds_, event.seconds);
        most_ = std::max({most_, event.fences, event.refinements});
        refinements_ = refinements_ || event.refinements > 0;
      }
  }

  std::string svg(const std::string& title) {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
        kWidth, kHeight);
    text(kWidth / 2, kTop / 2, "middle", title, "font-size=\"14\"");
    axes();
    for (size_t i = 0; i < searches_.size(); ++i) line(searches_[i], i);
    return out_ + "</svg>\n";
  }

 private:
  double x(double seconds) const { return kLeft + (kWidth - kLeft - kRight) * seconds / seconds_; }
  double y(double count) const {
    return kHeight - kBottom - (kHeight - kTop - kBottom) * count / static_cast<double>(most_);
  }

  void text(double x, double y, const char* anchor, const std::string& words, const char* more = "") {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y, anchor,
                        more, escaped(words));
  }

  void stroke(double x1, double y1, double x2, double y2, const char* colour) {
    out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1,
                        y1, x2, y2, colour);
  }

  void axes() {
    const double right = kWidth - kRight, bottom = kHeight - kBottom;
    const auto step = static_cast<size_t>(std::max(1.0, tick_distance(static_cast<double>(most_), 10)));
    for (size_t count = 0; count <= most_; count += step) {
      const double height = y(static_cast<double>(count));
      stroke(kLeft, height, right, height, "#dddddd");
      text(kLeft - 8, height + 4, "end", fmt::format("{}", count));
    }
    const double distance = tick_distance(seconds_, 6);
    for (size_t i = 0; static_cast<double>(i) * distance <= seconds_ * 1.0001; ++i) {
      const double seconds = static_cast<double>(i) * distance;
      stroke(x(seconds), bottom, x(seconds), bottom + 5, "black");
      text(x(seconds), bottom + 19, "middle", fmt::format("{:g}", seconds));
    }
    stroke(kLeft, bottom, right, bottom, "black");
    stroke(kLeft, kTop, kLeft, bottom, "black");
    text((kLeft + right) / 2, kHeight - 14, "middle", "seconds");
    text(kLeft - 40, kTop - 12, "start", refinements_ ? "fences, refinements (dashed)" : "fences");
  }

  void line(const PlottedSearch& search, size_t number) {
    const char* colour = kColours[number % kColours.size()];
    steps(search, colour, true);
    if (refinements_) steps(search, colour, false);
    for (const SearchEvent& event : search.trace)
      out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" stroke=\"{}\" fill=\"{}\"/>\n",
                          x(event.seconds), y(static_cast<double>(event.fences)), colour,
                          event.verified ? colour : "white");
    const double height = kTop + 10 + 18 * static_cast<double>(number);
    stroke(kWidth - kRight + 14, height - 4, kWidth - kRight + 34, height - 4, colour);
    text(kWidth - kRight + 40, height, "start",
         fmt::format("{} ({})", search.name, search.trace.empty() ? 0 : search.trace.back().calls));
  }

  // The best that was verified so far, fences first.
  void steps(const PlottedSearch& search, const char* colour, bool fences) {
    std::string path;
    std::pair<size_t, size_t> best;
    const auto height = [&] { return y(static_cast<double>(fences ? best.first : best.second)); };
    for (const SearchEvent& event : search.trace) {
      const std::pair<size_t, size_t> found{event.fences, event.refinements};
      if (!event.verified || (!path.empty() && found >= best)) continue;
      if (!path.empty()) path += fmt::format(" H{:.1f}", x(event.seconds));
      const bool first = path.empty();
      best = found;
      path += first ? fmt::format("M{:.1f} {:.1f}", x(event.seconds), height())
                    : fmt::format(" V{:.1f}", height());
    }
    if (path.empty()) return;
    out_ += fmt::format("<path d=\"{} H{:.1f}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>\n", path,
                        x(search.trace.back().seconds), colour, fences ? "" : " stroke-dasharray=\"5 3\"");
  }

  const std::vector<PlottedSearch>& searches_;
  double seconds_ = 1e-6;
  size_t most_ = 1;
  bool refinements_ = false;
  std::string out_;
};

}  // namespace

std::string search_plot(const std::string& title, const std::vector<PlottedSearch>& searches) {
  return Chart(searches).svg(title);
}

}  // namespace fenceline::synth
