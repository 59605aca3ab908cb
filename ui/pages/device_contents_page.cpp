// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/device_contents_page.h"

#include <QHBoxLayout>
#include <algorithm>
#include <ranges>

#include "ui/controls/figure.h"
#include "ui/controls/text_label.h"
#include "ui/images/open_image.h"
#include "ui/pages/job_painting.h"
#include "ui/pictures/zoom_strip.h"
#include "ui/words/device_words.h"
#include "ui/words/result_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr uint64_t sliver = 4;  // an image that is no larger part of the device than this is drawn magnified

bool writes_to(const QueuedJob& job, const Device& device) {
  const auto& target = job.request().device;
  return target && target->whole() && same_device(target->disk, device.disk);
}

// The partitions in order, as ranges that do not overlap: an extended partition holds the logical ones.
std::vector<Range> partition_ranges(const Disk& disk) {
  std::vector<Range> ranges;
  ranges.reserve(disk.partitions.size());
  for (const Partition& partition : disk.partitions)
    ranges.push_back(intersection({partition.start, partition.size}, {0, disk.size}));
  std::ranges::sort(ranges, {}, &Range::at);
  uint64_t end = 0;
  for (Range& range : ranges) {
    range = range.end() > end ? Range::between(std::max(range.at, end), range.end()) : Range{};
    end = std::max(end, range.end());
  }
  std::erase_if(ranges, [](const Range& range) { return range.empty(); });
  return ranges;
}

ContentCells cells_of(const Disk& disk) {
  ContentCells cells(disk.size);
  std::vector<Range> ranges = partition_ranges(disk);
  const bool whole = ranges.empty() && !disk.content.type.empty();
  if (whole) ranges = {{0, disk.size}};
  uint64_t at = 0;
  for (const Range& range : ranges) {
    cells.add(Range::between(at, range.at), ContentKind::hole);
    cells.add(range, ContentKind::partition);
    at = range.end();
  }
  cells.add(Range::between(at, disk.size), ContentKind::hole);
  return cells;
}

}  // namespace

DeviceContentsPage::DeviceContentsPage(JobQueue& queue, ImageModel& images, QWidget* parent)
    : Page(parent), queue_(queue), images_(images) {
  auto* column = static_cast<QVBoxLayout*>(body()->layout());
  auto* figures = new QHBoxLayout;
  figures->setSpacing(32);
  used_ = new Figure;
  free_ = new Figure;
  parts_ = new Figure;
  table_ = new Figure;
  for (Figure* figure : {used_, free_, parts_, table_}) figures->addWidget(figure);
  figures->addStretch(1);
  column->addLayout(figures);
  note_ = new TextLabel({}, Face::body, Ink::muted);
  note_->setWordWrap(true);
  column->addWidget(note_);
  column->addWidget(new Rule);
  legend_ = new MapLegend;
  column->addWidget(legend_);
  strip_ = new ZoomStrip;
  column->addWidget(strip_);
  map_ = new AllocationMap;
  column->addWidget(map_, 1000);
  column->addStretch(1);
  connect(&queue, &JobQueue::started, this, [this](QueuedJob* job) {
    if (device_ && writes_to(*job, *device_)) follow(job);
  });
  connect(&queue, &JobQueue::removed, this, [this](QueuedJob* job) {
    if (job == job_) forget_job();
  });
}

void DeviceContentsPage::set_device(const DevicePtr& device) {
  const bool another = !device_ || !same_device(device_->disk, device->disk);
  device_ = device;
  // Who uses it now may have written to it since.
  if (another || (job_ && job_->result() && device->usage.in_use)) forget_job();
  if (another) {
    for (QueuedJob* job : std::views::reverse(queue_.jobs()))
      if (job->state() != QueuedJob::State::waiting && writes_to(*job, *device) &&
          !(job->result() && device->usage.in_use)) {
        follow(job);
        break;
      }
  }
  show_all();
}

void DeviceContentsPage::follow(QueuedJob* job) {
  forget_job();
  job_ = job;
  connect(job, &QueuedJob::changed, this, &DeviceContentsPage::show_all);
  connect(job, &QueuedJob::progressed, this, &DeviceContentsPage::show_progress);
  show_all();
}

void DeviceContentsPage::forget_job() {
  if (job_) job_->disconnect(this);
  job_.clear();
  if (device_) show_all();
}

void DeviceContentsPage::show_all() {
  show_figures();
  show_map();
  show_progress();
}

void DeviceContentsPage::show_figures() {
  const Disk& disk = device_->disk;
  uint64_t used = 0;
  for (const Range& range : partition_ranges(disk)) used += range.length;
  const bool any = !disk.partitions.empty();
  used_->setVisible(any && !job_);
  free_->setVisible(any && !job_);
  parts_->setVisible(any && !job_);
  const QString kind = DeviceWords::table(disk.content);
  table_->setVisible(!job_);
  used_->set(Sizes::decimal(used), tr("in partitions"));
  free_->set(Sizes::decimal(disk.size - std::min(used, disk.size)), tr("in no partition"));
  parts_->set(Sizes::number(disk.partitions.size()), tr("partitions"));
  const bool unknown = disk.content.source == ContentSource::unknown && !any;
  table_->set(unknown                            ? tr("Unknown")
              : DeviceWords::nothing_known(disk) ? tr("Nothing known")
              : kind.isEmpty()                   ? DeviceWords::content(disk.content)
                                                 : kind,
              unknown                            ? tr("it may not be read without rights")
              : DeviceWords::nothing_known(disk) ? tr("it may hold data all the same")
              : kind.isEmpty()                   ? tr("on the whole device")
                                                 : tr("partition table"));
}

// The job's image where it goes; of an image that is not open here only how far it got is known.
ContentCells DeviceContentsPage::cells_of_job() const {
  const JobRequest& request = job_->request();
  const int row = images_.row_of(request.source);
  if (const auto* zero = std::get_if<job::Zero>(&request.work)) {
    ContentCells cells(device_->disk.size);
    for (const Range& range : zero->ranges) cells.add(range, zero->discard ? ContentKind::hole : ContentKind::zero);
    return cells;
  }
  if (row >= 0 && !images_.at(row)->cells().empty()) return images_.at(row)->cells();
  const uint64_t total = job_->worker() ? job_->worker()->progress().total : 0;
  ContentCells cells(std::min(total ? total : device_->disk.size, device_->disk.size));
  cells.add({0, cells.size()}, ContentKind::data);
  return cells;
}

void DeviceContentsPage::show_map() {
  strip_->set_device(device_);
  const uint64_t size = device_->disk.size;
  map_->setVisible(size > 0);
  legend_->setVisible(size > 0);
  strip_->setVisible(job_ != nullptr);
  ContentCells cells = cells_of(device_->disk);
  shown_ = size;
  if (job_) {
    ContentCells coming = cells_of_job();
    job_ends_ = std::min(coming.size(), size);
    if (coming.size() <= size / sliver) {
      shown_ = coming.size();
      cells = std::move(coming);
    } else {
      // On the device's own scale: what a cell of the image holds, one kind after the other, and what lies behind it.
      ContentCells all(size);
      for (size_t i = 0; i < coming.cells().size(); ++i) {
        uint64_t at = i * coming.cell_bytes();
        for (size_t kind = 0; kind < ContentCells::kinds; ++kind) {
          const uint64_t bytes = coming.cells()[i].bytes[kind];
          all.add({at, bytes}, static_cast<ContentKind>(kind));
          at += bytes;
        }
      }
      if (coming.size() < size) all.add(Range::between(coming.size(), size), ContentKind::hole);
      cells = std::move(all);
    }
  }
  map_->set_cells(cells);
  if (!job_) {
    map_->set_job(std::nullopt);
    legend_->set_items(legend_of(cells, nullptr, true, tr("In no partition")));
  }
}

void DeviceContentsPage::show_progress() {
  QString note;
  if (!job_) {
    if (!device_->disk.partitions.empty())
      note = tr("As its partition table says. What is in a partition was not read.");
  } else if (const JobResult* result = job_->result()) {
    note = tr("As %1 left it at %2: %3.", "job, time, result")
               .arg(ResultWords::title(job_->request()),
                    Sizes::locale().toString(job_->ended_at().time(), QLocale::ShortFormat),
                    ResultWords::sentence(*result));
  } else if (job_->worker()) {
    note = tr("%1: %2", "job, how far it is")
               .arg(ResultWords::title(job_->request()),
                    ResultWords::doing(job_->worker()->progress(), job_->request().kind()));
  }
  note_->set_text(note);
  note_->setVisible(!note.isEmpty());
  if (!job_) return;
  const AllocationMap::Job painted = painted_by(*job_, job_ends_);
  map_->set_job(painted);
  strip_->set_job(std::min(painted.written, shown_), shown_);
  legend_->set_items(legend_of(map_->cells(), &painted, false));
}

}  // namespace disklathe::ui
