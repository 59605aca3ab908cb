// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pictures/allocation_map.h"

#include <QPainter>
#include <algorithm>
#include <bit>
#include <cmath>

#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr int columns = 64, top = 4;  // room for the ring round a cell of the first row
constexpr uint64_t most_cells = 1024, least_cell = 4096;
constexpr int least_pitch = 9, most_pitch = 24;

size_t index_of(ContentKind kind) { return static_cast<size_t>(kind); }

ContentKind kind_of(const job::MapEntry& entry) {
  switch (entry.extent.kind) {
    case Extent::Kind::zero: return ContentKind::zero;
    case Extent::Kind::hole: return ContentKind::hole;
    case Extent::Kind::compressed: return entry.layer ? ContentKind::backing : ContentKind::compressed;
    case Extent::Kind::encrypted: return ContentKind::encrypted;
    case Extent::Kind::data: return entry.layer ? ContentKind::backing : ContentKind::data;
  }
  return ContentKind::hole;
}

}  // namespace

QString name_of_kind(ContentKind kind) {
  switch (kind) {
    case ContentKind::data: return AllocationMap::tr("Data");
    case ContentKind::compressed: return AllocationMap::tr("Compressed");
    case ContentKind::backing: return AllocationMap::tr("From backing file");
    case ContentKind::zero: return AllocationMap::tr("Zero");
    case ContentKind::hole: return AllocationMap::tr("Hole");
    case ContentKind::encrypted: return AllocationMap::tr("Encrypted");
    case ContentKind::unreadable: return AllocationMap::tr("Unreadable");
    case ContentKind::partition: return AllocationMap::tr("In a partition");
  }
  return {};
}

ContentKind ContentCells::Cell::main() const {
  return static_cast<ContentKind>(std::ranges::max_element(bytes) - bytes.begin());
}

bool ContentCells::Cell::known() const {
  return std::ranges::any_of(bytes, [](uint64_t b) { return b > 0; });
}

std::optional<std::pair<ContentKind, double>> ContentCells::Cell::second() const {
  const size_t first = index_of(main());
  size_t next = kinds;
  uint64_t all = 0;
  for (size_t k = 0; k < kinds; ++k) {
    all += bytes[k];
    if (k != first && bytes[k] && (next == kinds || bytes[k] > bytes[next])) next = k;
  }
  if (next == kinds) return std::nullopt;
  const double share = static_cast<double>(bytes[next]) / static_cast<double>(all);
  if (share < 0.04) return std::nullopt;
  return std::pair(static_cast<ContentKind>(next), share);
}

ContentCells::ContentCells(uint64_t size) : size_(size) {
  cell_bytes_ = std::max(least_cell, std::bit_ceil(size / most_cells + (size % most_cells != 0)));
  cells_.resize(static_cast<size_t>(size / cell_bytes_ + (size % cell_bytes_ != 0)));
}

void ContentCells::add(const job::MapEntry& entry) {
  std::optional<uint64_t> host;
  if (!entry.extent.host.empty()) host = entry.extent.host.at;
  add(entry.extent.guest, kind_of(entry), host, entry.layer);
}

void ContentCells::add(Range range, ContentKind kind) { add(range, kind, std::nullopt, 0); }

void ContentCells::add(Range range, ContentKind kind, std::optional<uint64_t> host, uint64_t layer) {
  range = intersection(range, {0, size_});
  if (range.empty()) return;
  totals_[index_of(kind)] += range.length;
  const uint64_t last = (range.end() - 1) / cell_bytes_;
  for (uint64_t i = range.at / cell_bytes_; i <= last; ++i) {
    const Range part = intersection(range, {i * cell_bytes_, cell_bytes_});
    Cell& cell = cells_[static_cast<size_t>(i)];
    cell.bytes[index_of(kind)] += part.length;
    if (cell.host || !host) continue;
    cell.host = *host + (kind == ContentKind::data ? part.at - range.at : 0);
    cell.layer = layer;
  }
}

// Whole-pixel cells keep their edges sharp; what is left over widens the gutter, so that the end is flush.
int AllocationMap::gutter(int width) {
  const int room = width - 60, cell = std::max(4, room / columns);
  return width - cell * columns + (cell >= 12 ? 2 : 1);
}

AllocationMap::AllocationMap(QWidget* parent) : Picture(tr("Contents map"), parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void AllocationMap::set_cells(const ContentCells& cells) {
  const bool resized = cells.cells().size() != cells_.cells().size();
  cells_ = cells;
  if (resized) {
    lent_ = false;
    setMaximumHeight(rows() * most_pitch + 2 * top);
    updateGeometry();
  }
  update();
}

void AllocationMap::set_job(std::optional<Job> job) {
  job_ = job;
  update();
}

void AllocationMap::set_difference(std::optional<uint64_t> offset) {
  difference_ = offset;
  update();
}

std::optional<uint64_t> AllocationMap::differs() const { return job_ && job_->differs ? job_->differs : difference_; }

void AllocationMap::set_touched(const std::optional<std::vector<Range>>& ranges) {
  lent_ = ranges.has_value();
  touched_ = QBitArray(mark_count());
  for (const Range& any : ranges.value_or(std::vector<Range>{})) {
    const Range range = intersection(any, {0, cells_.size()});
    if (range.empty()) continue;
    const auto cell_of = [&](uint64_t at) { return static_cast<qsizetype>(at / cells_.cell_bytes()); };
    touched_.fill(true, cell_of(range.at), cell_of(range.end() - 1) + 1);
  }
  update();
}

int AllocationMap::rows() const { return std::max(1, (mark_count() + columns - 1) / columns); }
int AllocationMap::pitch() const { return std::clamp((height() - 2 * top) / rows(), least_pitch, most_pitch); }
QSize AllocationMap::sizeHint() const { return {900, rows() * 14 + 2 * top}; }
QSize AllocationMap::minimumSizeHint() const { return {440, rows() * least_pitch + 2 * top}; }

QRectF AllocationMap::place_of(int mark) const {
  const int cell = std::max(4, (width() - 60) / columns), row = pitch();
  return {gutter(width()) + mark % columns * cell + 0.0, mark / columns * row + top + 0.0,
          cell - (cell >= 12 ? 2.0 : 1.0), row - (row >= 12 ? 6.0 : 5.0)};
}

int AllocationMap::mark_at(QPoint point) const {
  const int cell = std::max(4, (width() - 60) / columns);
  const int column = (point.x() - gutter(width())) / cell, row = (point.y() - top) / pitch();
  if (point.x() < gutter(width()) || column >= columns || point.y() < top || row < 0) return -1;
  const int mark = row * columns + column;
  return mark < mark_count() ? mark : -1;
}

QString AllocationMap::reading_of(int mark) const {
  const ContentCells::Cell& cell = cells_.cells()[static_cast<size_t>(mark)];
  const uint64_t from = static_cast<uint64_t>(mark) * cells_.cell_bytes();
  QStringList words{tr("%1 from %2", "size, offset")
                        .arg(Sizes::binary(cells_.cell_bytes()), from ? Sizes::hex(from) : QStringLiteral("0"))};
  if (!cell.known()) {
    words << tr("not looked at yet");
  } else if (const auto second = cell.second()) {
    words << tr("%1 and %2").arg(name_of_kind(cell.main()), name_of_kind(second->first));
  } else {
    words << name_of_kind(cell.main());
  }
  if (cell.host)
    words << (cell.layer ? tr("layer %1").arg(cell.layer) + QLatin1Char(' ') : QString()) +
                 tr("host offset %1").arg(Sizes::hex(*cell.host));
  if (lent_) words << (touched_.at(mark) ? tr("read by a client") : tr("not read yet"));
  const uint64_t end = std::min(from + cells_.cell_bytes(), cells_.size());
  if (differs() && *differs() >= from && *differs() < end)
    words << tr("differs");
  else if (job_)
    words << (end <= job_->verified  ? tr("verified")
              : end <= job_->written ? tr("written")
              : from >= job_->ends   ? tr("not touched")
                                     : tr("not written yet"));
  return words.join(QStringLiteral(" · "));
}

PictureTable AllocationMap::table() const {
  PictureTable table{{tr("Start"), tr("Length"), tr("Content"), tr("Host offset")}, {}};
  const auto& cells = cells_.cells();
  for (size_t i = 0; i < cells.size();) {
    size_t end = i + 1;
    while (end < cells.size() && cells[end].main() == cells[i].main() && cells[end].known() == cells[i].known()) ++end;
    table.rows << QStringList{Sizes::number(i * cells_.cell_bytes()), Sizes::number((end - i) * cells_.cell_bytes()),
                              cells[i].known() ? name_of_kind(cells[i].main()) : tr("not looked at yet"),
                              cells[i].host ? Sizes::hex(*cells[i].host) : QString()};
    i = end;
  }
  return table;
}

void AllocationMap::paint_cell(QPainter& p, int index) const {
  const ContentCells::Cell& cell = cells_.cells()[static_cast<size_t>(index)];
  const QRectF at = place_of(index);
  if (!cell.known()) return;
  const uint64_t from = static_cast<uint64_t>(index) * cells_.cell_bytes();
  const uint64_t end = std::min(cells_.size(), from + cells_.cell_bytes());
  const bool touched = lent_ && touched_.at(index);
  const double strength = (job_ && end > job_->written && from < job_->ends) || (lent_ && !touched) ? 0.38 : 1;
  const ContentKind kind = cell.main();
  if (const auto second = cell.second()) {
    QRectF first = at, rest = at;
    first.setWidth(std::clamp(std::round(at.width() * (1 - second->second)), 1.0, at.width() - 1));
    rest.setLeft(first.right());
    paint_kind(p, rest, second->first, strength);
    paint_kind(p, first, kind, strength);
  } else {
    paint_kind(p, at, kind, strength);
  }
  if (touched) p.fillRect(QRectF(at.left(), at.bottom() + 1, at.width(), 2), theme().text);
  if (job_ && end <= job_->written)
    paint_under_bar(p, {at.left(), at.bottom() + 1}, at.width(), end <= job_->verified,
                    kind == ContentKind::hole || kind == ContentKind::zero);
}

void AllocationMap::paintEvent(QPaintEvent* event) {
  QPainter p(this);
  p.setLayoutDirection(Qt::LeftToRight);
  const Theme& t = theme();
  const double caption = height_of(Face::caption);
  // Only as many labels as have room.
  const int every = pitch() * 2 >= caption ? 2 : 4;
  for (int row = 0; row < rows(); row += every)
    paint_text(p, {0, row * pitch() + top - 5.0, gutter(width()) - 12.0, pitch() + 4.0},
               Qt::AlignRight | Qt::AlignVCenter,
               row ? Sizes::binary(static_cast<uint64_t>(row) * columns * cells_.cell_bytes()) : QStringLiteral("0"),
               Face::caption, t.muted);
  for (int i = 0; i < mark_count(); ++i)
    if (place_of(i).adjusted(-2, -2, 2, 6).intersects(event->rect())) paint_cell(p, i);

  const auto ring = [&](int index, const QColor& color) {
    if (index < 0 || index >= mark_count()) return;
    const QRectF at = place_of(index).adjusted(-3, -3, 3, 3);
    p.setRenderHint(QPainter::Antialiasing);
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(t.base, 4));
    p.drawRoundedRect(at, 3, 3);
    p.setPen(QPen(color, 2));
    p.drawRoundedRect(at, 3, 3);
  };
  const auto cell_of = [&](uint64_t offset) { return static_cast<int>(offset / cells_.cell_bytes()); };
  if (job_ && job_->now) ring(std::min(cell_of(*job_->now), mark_count() - 1), t.text);
  if (const auto offset = differs(); offset && cell_of(*offset) < mark_count()) {
    const QRectF at = place_of(cell_of(*offset));
    p.fillRect(at, t.base);
    paint_kind(p, at, ContentKind::unreadable);
    ring(cell_of(*offset), t.bad_text);
  }
  ring(current_mark(), t.accent_ink);
  paint_focus(p);
  paint_reading(p);
}

}  // namespace disklathe::ui
