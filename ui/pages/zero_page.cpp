// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/zero_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSettings>

#include "ui/controls/buttons.h"
#include "ui/controls/text_label.h"
#include "ui/desktop/keep_setting.h"
#include "ui/dialogs/erase_dialog.h"
#include "ui/jobs/speeds.h"
#include "ui/pictures/method_bars.h"
#include "ui/words/device_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

enum class Way : uint8_t { fastest, command, writing, discard };

QString key_of(const Disk& disk, Way way) {
  QString id = QString::fromStdString(disk.id);
  return QStringLiteral("zeroing/%1/%2").arg(id.replace(QLatin1Char('/'), QLatin1Char('_'))).arg(static_cast<int>(way));
}

Way way_of(const job::Zero& work) {
  if (work.discard) return Way::discard;
  if (!work.method) return Way::fastest;
  return *work.method == ZeroMethod::buffers ? Way::writing : Way::command;
}

constexpr double least_share = 0.01;  // less says nothing about the rest
const QString seconds_key = QStringLiteral("/seconds"), share_key = QStringLiteral("/share");

// What the whole device took, or would take.
struct Took {
  std::optional<double> seconds;
  bool extrapolated = false;
};

Took took(const Disk& disk, Way way) {
  const QSettings settings;
  const double seconds = settings.value(key_of(disk, way) + seconds_key, 0).toDouble(),
               share = settings.value(key_of(disk, way) + share_key, 0).toDouble();
  if (seconds <= 0 || share <= 0) return {};
  return {seconds / share, share < 1};
}

}  // namespace

ZeroPage::ZeroPage(QWidget* parent) : Page(parent) {
  auto* column = static_cast<QVBoxLayout*>(body()->layout());
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  method_ = new QComboBox;
  method_->setMinimumHeight(32);
  method_->setAccessibleName(tr("Way to zero"));
  row->addWidget(method_);
  why_not_ = new TextLabel({}, Face::body, Ink::muted);
  why_not_->set_elided();
  row->addWidget(why_not_, 1);
  go_ = make_button(tr("&Zero…"));
  row->addWidget(go_);
  column->addLayout(row);
  bars_ = new MethodBars;
  column->addWidget(bars_);
  auto* warning = new TextLabel(
      tr("This is not secure erase: a device may keep old bytes in spare blocks, where only its own commands reach."),
      Face::body, Ink::muted);
  warning->setWordWrap(true);
  column->addWidget(warning);
  column->addStretch(1);
  connect(go_, &QPushButton::clicked, this, &ZeroPage::begin);
}

void ZeroPage::set_device(const DevicePtr& device) {
  device_ = device;
  const QString why = DeviceWords::why_not_written(*device);
  go_->setEnabled(why.isEmpty());
  why_not_->set_text(why.isEmpty() ? tr("Asks for confirmation first.") : why);
  show_methods();
}

void ZeroPage::set_limits(const Limits& reported) {
  limits_ = reported;
  if (device_) show_methods();
}

void ZeroPage::show_methods() {
  const Disk& disk = device_->disk;
  const bool command = limits_.max_write_zeroes.value.has_value(), discard = limits_.max_discard.value.has_value();
  using Method = MethodBars::Method;
  const Took fastest = took(disk, Way::fastest), commanded = took(disk, Way::command),
             discarded = took(disk, Way::discard);
  Took written = took(disk, Way::writing);
  if (const auto rate = Speeds::of(disk).write; rate && !written.seconds)
    written = {static_cast<double>(disk.size) / *rate, true};
  Took best = fastest;
  for (const Took& other : {commanded, written})
    if (!fastest.seconds && other.seconds && (!best.seconds || *other.seconds < *best.seconds))
      best = {other.seconds, true};
  bars_->set_methods(
      {Method{tr("The fastest"), tr("Reads as zero: yes. Tries the command, and writes where that is faster."),
              best.seconds, best.extrapolated, true},
       Method{tr("Its own command"), tr("Reads as zero: yes. It may free the space where it then promises zeroes."),
              commanded.seconds, commanded.extrapolated, command},
       Method{tr("Writing zeroes"), tr("Reads as zero: yes. Every block is written."), written.seconds,
              written.extrapolated, true},
       Method{tr("Discarding"), tr("Reads as zero: not promised. Tells the device that nothing is needed any more."),
              discarded.seconds, discarded.extrapolated, discard}});
  const QVariant before = method_->currentData();
  method_->clear();
  method_->addItem(tr("The fastest way"), static_cast<int>(Way::fastest));
  if (command) method_->addItem(tr("Its own command only"), static_cast<int>(Way::command));
  method_->addItem(tr("Writing zeroes only"), static_cast<int>(Way::writing));
  if (discard) method_->addItem(tr("Discarding: frees, promises nothing"), static_cast<int>(Way::discard));
  method_->setCurrentIndex(std::max(0, method_->findData(before)));
}

void ZeroPage::begin() {
  job::Zero work{.ranges = {{0, device_->disk.size}}};
  const auto way = static_cast<Way>(method_->currentData().toInt());
  if (way == Way::command) work.method = ZeroMethod::write_zeroes;
  if (way == Way::writing) work.method = ZeroMethod::buffers;
  work.discard = way == Way::discard;
  const Erasure erasure{.name = way == Way::discard ? tr("Discard") : tr("Zeroes"),
                        .detail = method_->currentText(),
                        .size = device_->disk.size,
                        .offer_verify = way != Way::discard};
  Q_EMIT zero_wanted(QString::fromStdString(device_->disk.node), erasure, JobRequest{.work = work});
}

void ZeroPage::remember(const QueuedJob& job) {
  const auto* work = std::get_if<job::Zero>(&job.request().work);
  const auto& device = job.request().device;
  if (!work || !device || !device->whole() || !job.worker()) return;
  const JobProgress& progress = job.worker()->progress();
  const auto began = job.worker()->meter().began(Phase::write);
  const bool whole = progress.phase > Phase::write;
  const bool tells = whole || progress.phase == Phase::write;
  if (!began || !progress.total || !tells) return;
  const double seconds = job.worker()->meter().began(Phase::verify).value_or(progress.seconds) - *began;
  const double share = whole ? 1 : static_cast<double>(progress.position) / static_cast<double>(progress.total);
  const QString key = key_of(device->disk, way_of(*work));
  const double known = QSettings().value(key + share_key, 0).toDouble();
  if (share < least_share || share < known) return;
  keep_setting(key + seconds_key, seconds);
  keep_setting(key + share_key, share);
}

}  // namespace disklathe::ui
