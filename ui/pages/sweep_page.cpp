// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/sweep_page.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QSaveFile>

#include "ui/controls/buttons.h"
#include "ui/controls/text_label.h"
#include "ui/jobs/sweep_store.h"
#include "ui/words/result_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr int smallest_power = 12, largest_power = 24;  // 4 KiB to 16 MiB
constexpr uint64_t bytes_per_size = 512 << 20, most_area = uint64_t{4} << 30;
constexpr int seconds_per_size = 1;

}  // namespace

SweepPage::SweepPage(JobQueue& queue, QWidget* parent) : Page(parent), queue_(queue) {
  auto* column = static_cast<QVBoxLayout*>(body()->layout());
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  depth_ = new QComboBox;
  depth_->setMinimumHeight(32);
  depth_->setAccessibleName(tr("What to measure"));
  depth_->addItem(tr("Read in order, one request at a time"), 1);
  depth_->addItem(tr("Read in order, four requests in flight"), 4);
  depth_->addItem(tr("Read in order, sixteen in flight"), 16);
  intent_ = new TextLabel({}, Face::body, Ink::muted);
  intent_->set_elided();
  export_ = make_button(tr("&Export…"), QLatin1String("document-save"));
  go_ = make_button(tr("&Run"), QLatin1String("media-playback-start"));
  row->addWidget(depth_);
  row->addWidget(intent_, 1);
  row->addWidget(export_);
  row->addWidget(go_);
  column->addLayout(row);
  empty_ = new TextLabel(tr("Not measured yet. A run reads parts of the device with requests of 4 KiB to 16 MiB, and "
                            "finds the size beyond which "
                            "nothing is gained."),
                         Face::body, Ink::muted);
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
  words->addWidget(new TextLabel(tr("the request size to use"), Face::caption, Ink::muted));
  words->addSpacing(12);
  facts_ = new QVBoxLayout;
  facts_->setSpacing(4);
  words->addLayout(facts_);
  words->addStretch(1);
  both->addWidget(side);
  column->addWidget(result_, 1000);
  column->addStretch(1);
  connect(go_, &QPushButton::clicked, this, &SweepPage::run);
  connect(export_, &QPushButton::clicked, this, &SweepPage::save_as);
  connect(depth_, &QComboBox::currentIndexChanged, this, &SweepPage::show_intent);
  show_run({}, std::nullopt);
}

void SweepPage::set_device(const DevicePtr& device) {
  const bool another = !device_ || !same_device(device_->disk, device->disk);
  device_ = device;
  if (!another) return;
  job_.clear();
  const auto kept = kept_sweep(QString::fromStdString(device->disk.id));
  show_run(kept.value_or(SweepRun{}), std::nullopt);
}

void SweepPage::set_limits(const Limits& limits) { plot_->set_limits(limits); }

void SweepPage::show_run(const SweepRun& run, const std::optional<SweepRun>& saved) {
  run_ = run;
  saved_ = saved;
  const bool any = !run.points.empty();
  empty_->setVisible(!any);
  result_->setVisible(any);
  export_->setEnabled(any);
  go_->setEnabled(true);
  go_->setText(any ? tr("&Run Again") : tr("&Run"));
  plot_->set_run(run);
  plot_->set_saved(saved);
  if (any) show_facts();
  show_intent();
}

void SweepPage::show_intent() {
  if (job_ && job_->state() != QueuedJob::State::ended) return;
  constexpr int sizes = largest_power - smallest_power + 1;
  intent_->set_ink(Ink::muted);
  intent_->set_text(tr("Reads at most %1 in about %2. Writes nothing.")
                        .arg(Sizes::decimal(bytes_per_size * sizes), Sizes::duration(sizes * seconds_per_size)));
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
  if (last.rate < 0.97 * most)
    add_fact(tr("%1 at %2").arg(change(most, last.rate), Sizes::binary(last.size)),
             tr("Too large requests slow this device down."));
  if (!saved_) return;
  for (const SweepPoint& point : saved_->points)
    if (point.size == best.size && point.rate > 0)
      add_fact(tr("%1 over %2").arg(change(point.rate, best.rate), saved_->name),
               tr("At the same size, against the run before."));
}

void SweepPage::run() {
  job::Sweep work;
  for (int power = smallest_power; power <= largest_power; ++power) work.sizes.push_back(uint64_t{1} << power);
  work.depth = depth_->currentData().toUInt();
  const uint64_t largest = work.sizes.back();
  work.area = std::min(most_area, device_->disk.size) / largest * largest;
  work.bytes_per_size = bytes_per_size;
  work.nanoseconds_per_size = uint64_t{seconds_per_size} * 1'000'000'000;
  while (!work.sizes.empty() && work.sizes.back() > std::max<uint64_t>(work.area, 4096)) work.sizes.pop_back();
  if (work.area == 0) work.area = device_->disk.size;
  job_ = queue_.add({.work = work, .source = QString::fromStdString(device_->disk.node)});
  go_->setEnabled(false);
  connect(job_, &QueuedJob::changed, this, &SweepPage::show_job);
  connect(job_, &QueuedJob::progressed, this, &SweepPage::show_job);
  show_job();
}

void SweepPage::show_job() {
  if (!job_) return;
  const JobResult* result = job_->result();
  if (!result) {
    intent_->set_text(job_->worker() ? ResultWords::doing(job_->worker()->progress(), job::Kind::sweep)
                                     : tr("Waiting: %1").arg(job_->why_waiting()));
    return;
  }
  if (!result->good()) {
    go_->setEnabled(true);
    intent_->set_ink(Ink::bad);
    intent_->set_text(ResultWords::sentence(*result));
    return;
  }
  const QString id = QString::fromStdString(device_->disk.id);
  const SweepRun run{.name = Sizes::locale().toString(job_->ended_at(), QLocale::ShortFormat),
                     .points = std::get<job::Swept>(*result->outcome).points};
  show_run(run, kept_sweep(id));
  keep_sweep(id, run);
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
