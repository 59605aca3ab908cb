// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/sweep_page.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QSaveFile>
#include <QStandardItemModel>
#include <QStorageInfo>

#include "ui/controls/buttons.h"
#include "ui/controls/text_label.h"
#include "ui/dialogs/erase_dialog.h"
#include "ui/images/open_image.h"
#include "ui/jobs/speeds.h"
#include "ui/jobs/sweep_store.h"
#include "ui/theme/icons.h"
#include "ui/words/device_words.h"
#include "ui/words/result_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr int smallest_power = 12, largest_power = 24;  // 4 KiB to 16 MiB
constexpr uint64_t bytes_per_size = 512 << 20, most_area = uint64_t{4} << 30;
constexpr uint64_t most_scratch = uint64_t{1} << 30;
constexpr int seconds_per_size = 1, rounds = 5;
constexpr qsizetype most_laid_over = 2;
constexpr int sizes = largest_power - smallest_power + 1;
const QLatin1String file_mark("file ");  // begins the ID of what is no device

QString doubt_about(const OpenImage& image) {
  if (QStorageInfo(image.path()).fileSystemType() == "tmpfs")
    return SweepPage::tr("It is in memory: what is measured is copying.");
  return image.file_has_holes()
             ? SweepPage::tr("Parts of it are holes, which no device is asked for: that is not its speed.")
             : QString();
}

}  // namespace

SweepPage::SweepPage(Of of, JobQueue& queue, QWidget* parent) : Page(parent), of_(of), queue_(queue) {
  auto* column = static_cast<QVBoxLayout*>(body()->layout());
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  mode_ = new QComboBox;
  mode_->setMinimumHeight(32);
  mode_->setAccessibleName(tr("What to measure"));
  intent_ = new TextLabel({}, Face::body, Ink::muted);
  intent_->setWordWrap(true);
  export_ = make_button(tr("&Export…"), QLatin1String("document-save"));
  go_ = make_button(tr("&Run"), QLatin1String("media-playback-start"));
  row->addWidget(mode_);
  row->addStretch(1);
  row->addWidget(export_);
  row->addWidget(go_);
  column->addLayout(row);
  column->addWidget(intent_);
  empty_ = new TextLabel({}, Face::body, Ink::muted);
  empty_->setWordWrap(true);
  column->addWidget(empty_);
  result_ = new QWidget;
  auto* both = new QHBoxLayout(result_);
  both->setContentsMargins(0, 0, 0, 0);
  both->setSpacing(24);
  plot_ = new SweepPlot;
  both->addWidget(plot_, 1);
  auto* side = new Card;
  side->setFixedWidth(216);
  auto* words = new QVBoxLayout(side);
  words->setContentsMargins(16, 16, 16, 16);
  words->setSpacing(4);
  best_size_ = new TextLabel({}, Face::figure);
  words->addWidget(best_size_);
  auto* best_caption = new TextLabel(tr("the request size to use"), Face::caption, Ink::muted);
  best_caption->setWordWrap(true);
  words->addWidget(best_caption);
  words->addSpacing(12);
  facts_ = new QVBoxLayout;
  facts_->setSpacing(4);
  words->addLayout(facts_);
  words->addStretch(1);
  how_ = new TextLabel({}, Face::caption, Ink::muted);
  how_->setWordWrap(true);
  words->addWidget(how_);
  both->addWidget(side);
  column->addWidget(result_, 1000);
  column->addStretch(1);
  connect(go_, &QPushButton::clicked, this, [this] { runs() ? job_->stop() : run(); });
  connect(export_, &QPushButton::clicked, this, &SweepPage::save_as);
  connect(mode_, &QComboBox::currentIndexChanged, this, &SweepPage::take_mode);
  connect(&queue, &JobQueue::added, this, [this](QueuedJob* job) {
    if (measures(*job)) follow(job);
  });
  connect(&queue, &JobQueue::ended, this, &SweepPage::remember);
  fill_modes();
}

QString SweepPage::key_of(Mode::On on, unsigned depth) {
  const char* what = on == Mode::On::reading ? "read" : on == Mode::On::device ? "write" : "scratch";
  return QStringLiteral("%1 %2").arg(QLatin1String(what)).arg(depth);
}

void SweepPage::fill_modes() {
  using On = Mode::On;
  const QString before = mode_->currentData().toString();
  modes_.clear();
  const auto add = [this](On on, unsigned depth, const QString& words) {
    modes_ << Mode{words, key_of(on, depth), depth, on};
  };
  add(On::reading, 1, tr("Read, one request at a time"));
  add(On::reading, 4, tr("Read, four requests in flight"));
  add(On::reading, 16, tr("Read, sixteen in flight"));
  if (of_ == Of::device) {
    add(On::device, 1, tr("Write, one request at a time (erases)"));
    add(On::device, 16, tr("Write, sixteen in flight (erases)"));
  }
  if (!scratch_folder().isEmpty()) add(On::scratch, 1, tr("Write to a scratch file on it"));
  const QSignalBlocker quiet(mode_);
  mode_->clear();
  for (const Mode& mode : modes_) mode_->addItem(mode.words, mode.key);
  mode_->setCurrentIndex(std::max(0, mode_->findData(before)));
  const QString why = subject_ && subject_->device ? DeviceWords::why_not_written(*subject_->device) : QString();
  for (int row = 0; row < modes_.size(); ++row) {
    if (modes_[row].on != On::device || why.isEmpty()) continue;
    auto* item = static_cast<QStandardItemModel*>(mode_->model())->item(row);
    item->setEnabled(false);
    item->setToolTip(why);
    if (row == mode_->currentIndex()) mode_->setCurrentIndex(0);
  }
}

const SweepPage::Mode& SweepPage::mode() const { return modes_[std::max(0, mode_->currentIndex())]; }

QString SweepPage::scratch_folder() const {
  if (!subject_ || !subject_->device) return {};
  for (const QString& folder : DeviceWords::mount_points(subject_->device->usage))
    if (QFileInfo(folder).isWritable()) return folder;
  return {};
}

uint64_t SweepPage::area() const {
  constexpr uint64_t unit = 1 << 20;
  uint64_t room = subject_->size, most = most_area;
  if (mode().on == Mode::On::scratch) {
    room = static_cast<uint64_t>(std::max<qint64>(0, QStorageInfo(scratch_folder()).bytesAvailable())) / 2;
    most = most_scratch;
  }
  return std::min(most, room) / unit * unit;
}

bool SweepPage::measures(const QueuedJob& job) const {
  return subject_ && job.request().kind() == job::Kind::sweep && job.request().measures == subject_->id;
}

void SweepPage::set_device(const DevicePtr& device) {
  const bool another = !subject_ || !same_device(subject_->device->disk, device->disk);
  set_subject({.id = QString::fromStdString(device->disk.id),
               .path = QString::fromStdString(device->disk.node),
               .size = device->disk.size,
               .device = device,
               .doubt = {}},
              another);
}

void SweepPage::set_file(const OpenImage& image) {
  const bool another = !subject_ || subject_->path != image.path();
  set_subject({.id = file_mark + image.path(),
               .path = image.path(),
               .size = static_cast<uint64_t>(std::max<qint64>(0, QFileInfo(image.path()).size())),
               .device = nullptr,
               .doubt = doubt_about(image)},
              another);
}

void SweepPage::set_subject(Subject subject, bool another) {
  subject_ = std::move(subject);
  fill_modes();
  if (!another) return show_intent();
  if (job_) job_->disconnect(this);
  job_.clear();
  for (QueuedJob* job : queue_.jobs())
    if (measures(*job) && job->state() != QueuedJob::State::ended) follow(job);
  take_mode();
}

// The last run of this mode, over those before it.
void SweepPage::take_mode() {
  if (!subject_) return;
  QVector<SweepRun> runs = kept_sweeps(subject_->id);
  runs.removeIf([this](const SweepRun& run) { return run.mode != mode().key; });
  if (runs.isEmpty()) return show_run({}, {});
  const SweepRun last = runs.takeFirst();
  show_run(last, runs.first(std::min(most_laid_over, runs.size())));
}

void SweepPage::set_limits(const Limits& limits) { plot_->set_limits(limits); }

void SweepPage::show_run(const SweepRun& run, const QVector<SweepRun>& saved) {
  run_ = run;
  saved_ = saved;
  const bool any = !run.points.empty();
  empty_->setVisible(!any);
  result_->setVisible(any);
  export_->setEnabled(any);
  plot_->set_run(run);
  plot_->set_saved(saved);
  if (any) show_facts();
  show_intent();
}

bool SweepPage::runs() const { return job_ && job_->state() != QueuedJob::State::ended; }

void SweepPage::show_button() {
  const bool stops = runs();
  go_->setText(stops ? tr("&Stop") : run_.points.empty() ? tr("&Run") : tr("&Run Again"));
  go_->setIcon(action_icon(QLatin1String(stops ? "process-stop" : "media-playback-start")));
  go_->setEnabled(stops || (subject_ && area() > 0));
  mode_->setEnabled(!stops);
}

void SweepPage::show_intent() {
  if (!subject_) return;
  show_button();
  if (runs()) return;
  const uint64_t space = area();
  const QString bytes = Sizes::decimal(std::min(bytes_per_size, std::max(space, uint64_t{1}) * rounds) * sizes),
                time = Sizes::duration(sizes * seconds_per_size);
  QString intent;
  switch (mode().on) {
    case Mode::On::reading:
      intent = space ? tr("Reads at most %1 in about %2. Writes nothing.").arg(bytes, time)
                     : tr("Too small for this: it takes 1 MiB and more.");
      if (space && !subject_->doubt.isEmpty()) intent += QLatin1Char(' ') + subject_->doubt;
      break;
    case Mode::On::device:
      intent = tr("Writes over the first %1 for about %2. Asks first.").arg(Sizes::decimal(space), time);
      break;
    case Mode::On::scratch:
      intent = space ? tr("Needs %1 of room for about %2. Nothing stays.").arg(Sizes::decimal(space), time)
                     : tr("There is no room for a scratch file.");
      break;
  }
  intent_->set_ink(mode().on == Mode::On::device ? Ink::warn : Ink::muted);
  intent_->set_text(intent);
  empty_->set_text(of_ == Of::file
                       ? tr("Not measured yet. A run reads parts of the file with requests of 4 KiB to 16 MiB, and "
                            "finds the size beyond which nothing is gained.")
                   : mode().on == Mode::On::reading
                       ? tr("Not measured yet. A run reads parts of the device with requests of 4 KiB to 16 MiB, and "
                            "finds the size beyond which "
                            "nothing is gained.")
                       : tr("Not measured yet. A run writes requests of 4 KiB to 16 MiB, and finds the size beyond "
                            "which nothing is gained."));
}

void SweepPage::add_fact(const QString& title, const QString& words) {
  auto* head = new TextLabel(title, Face::section);
  head->setWordWrap(true);
  facts_->addWidget(head);
  auto* body = new TextLabel(words, Face::caption, Ink::muted);
  body->setWordWrap(true);
  facts_->addWidget(body);
  facts_->addSpacing(8);
}

void SweepPage::show_facts() {
  while (QLayoutItem* item = facts_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  const auto knee = knee_of(run_.points);
  if (!knee) return;
  const SweepPoint& best = run_.points[*knee];
  double most = 0;
  for (const SweepPoint& point : run_.points) most = std::max(most, point.rate);
  best_size_->set_text(Sizes::binary(best.size));
  const QString p99 = Sizes::locale().toString(static_cast<double>(best.p99.count()) / 1e6, 'g', 2);
  add_fact(
      tr("%1, p99 %2 ms").arg(Sizes::rate(best.rate), p99),
      tr("%1 of the best rate. Larger requests gain nothing and wait longer.").arg(Sizes::percent(best.rate / most)));
  const auto change = [](double from, double to) {
    return QStringLiteral("%1%2 %")
        .arg(to >= from ? QStringLiteral("+") : QStringLiteral("−"))
        .arg(std::abs(to / from - 1) * 100, 0, 'f', 0);
  };
  const SweepPoint& last = run_.points.back();
  // What the rounds differ by says nothing of sizes.
  const auto apart = [](const SweepPoint& one, const SweepPoint& other) {
    return one.most_rate < other.least_rate || other.most_rate < one.least_rate;
  };
  if (last.rate < 0.97 * most && apart(last, best))
    add_fact(tr("%1 at %2").arg(change(most, last.rate), Sizes::binary(last.size)),
             tr("Too large requests slow this device down."));
  for (const SweepRun& run : saved_.first(std::min<qsizetype>(1, saved_.size())))
    for (const SweepPoint& point : run.points)
      if (point.size == best.size && point.rate > 0 && apart(point, best))
        add_fact(tr("%1 over %2").arg(change(point.rate, best.rate), run.name),
                 tr("At the same size, against the run before."));
  const unsigned depth = mode().depth;
  how_->set_text(
      tr("%n request(s) in flight, %1 rounds of each size, in turn.", nullptr, static_cast<int>(depth)).arg(rounds));
}

void SweepPage::run() {
  const Mode& how = mode();
  job::Sweep work;
  work.depth = how.depth;
  work.area = area() ? area() : subject_->size;
  work.bytes_per_size = bytes_per_size;
  work.nanoseconds_per_size = uint64_t{seconds_per_size} * 1'000'000'000;
  work.rounds = rounds;
  for (int power = smallest_power; power <= largest_power; ++power)
    if (power == smallest_power || uint64_t{1} << power <= work.area) work.sizes.push_back(uint64_t{1} << power);
  const QString& id = subject_->id;
  switch (how.on) {
    case Mode::On::reading: {
      JobRequest request{.work = work, .source = subject_->path};
      request.read = subject_->device;
      request.measures = id;
      queue_.add(std::move(request));
      return;
    }
    case Mode::On::device: {
      work.write = true;
      JobRequest request{.work = work};
      request.measures = id;
      Q_EMIT write_wanted(subject_->path,
                          {.name = tr("Sweep"), .detail = how.words, .size = work.area, .offer_verify = false},
                          request);
      return;
    }
    case Mode::On::scratch: {
      work.write = work.lay_out = true;
      JobRequest request{.work = work};
      request.target = scratch_folder() + QLatin1String("/.disklathe-sweep");
      request.measures = id;
      queue_.add(std::move(request));
      return;
    }
  }
}

void SweepPage::follow(QueuedJob* job) {
  if (job_ == job) return;
  if (job_) job_->disconnect(this);
  job_ = job;
  show_button();
  connect(job, &QueuedJob::changed, this, &SweepPage::show_job);
  connect(job, &QueuedJob::progressed, this, &SweepPage::show_job);
  show_job();
}

void SweepPage::show_job() {
  if (!job_) return;
  const JobResult* result = job_->result();
  if (!result) {
    intent_->set_ink(Ink::muted);
    intent_->set_text(job_->worker() ? ResultWords::doing(job_->worker()->progress(), job::Kind::sweep)
                                     : tr("Waiting: %1").arg(job_->why_waiting()));
    return;
  }
  show_button();
  if (!result->good()) {
    intent_->set_ink(Ink::bad);
    intent_->set_text(
        (ResultWords::sentence(*result) + QLatin1Char(' ') + ResultWords::meaning(job_->request(), *result)).trimmed());
  }
}

// Also when another device is looked at by now.
void SweepPage::remember(QueuedJob* job) {
  const JobRequest& request = job->request();
  if (request.kind() != job::Kind::sweep || !job->result()->good()) return;
  const bool of_file = request.measures.startsWith(file_mark);
  if (of_file != (of_ == Of::file)) return;  // it is the other page's
  const auto& work = std::get<job::Sweep>(request.work);
  const auto on = !work.write ? Mode::On::reading : request.device ? Mode::On::device : Mode::On::scratch;
  const SweepRun run{.name = Sizes::locale().toString(job->ended_at(), QLocale::ShortFormat),
                     .mode = key_of(on, work.depth),
                     .points = std::get<job::Swept>(*job->result()->outcome).points};
  keep_sweep(request.measures, run);
  if (on != Mode::On::scratch && !of_file) Speeds::learn_from(request.measures, work.write, run.points);
  if (job != job_) return;
  const QSignalBlocker quiet(mode_);
  mode_->setCurrentIndex(std::max(0, mode_->findData(run.mode)));
  take_mode();
}

void SweepPage::save_as() {
  QString kind;
  const QString csv = tr("Table (*.csv)"), png = tr("Picture (*.png)");
  const QString path = QFileDialog::getSaveFileName(window(), tr("Export the Sweep"), tr("sweep.csv"),
                                                    csv + QStringLiteral(";;") + png, &kind);
  if (path.isEmpty()) return;
  if (path.endsWith(QLatin1String(".png")) || kind == png) {
    plot_->save_png(path);
    return;
  }
  QSaveFile file(path);
  if (file.open(QIODevice::WriteOnly) && file.write(plot_->csv()) >= 0) file.commit();
}

}  // namespace disklathe::ui
