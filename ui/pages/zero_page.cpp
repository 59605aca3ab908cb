// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/zero_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSettings>

#include "ui/controls/buttons.h"
#include "ui/controls/text_label.h"
#include "ui/dialogs/erase_dialog.h"
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
  const QSettings settings;
  const auto measured = [&](Way way) -> std::optional<double> {
    const double seconds = settings.value(key_of(disk, way), 0).toDouble();
    return seconds > 0 ? std::optional(seconds) : std::nullopt;
  };
  using Method = MethodBars::Method;
  bars_->set_methods(
      {Method{tr("The fastest"), tr("Reads as zero: yes. Tries the command, and writes where that is faster."),
              measured(Way::fastest), false, true},
       Method{tr("Its own command"), tr("Reads as zero: yes. It may free the space where it then promises zeroes."),
              measured(Way::command), false, command},
       Method{tr("Writing zeroes"), tr("Reads as zero: yes. Every block is written."), measured(Way::writing), false,
              true},
       Method{tr("Discarding"), tr("Reads as zero: not promised. Tells the device that nothing is needed any more."),
              measured(Way::discard), false, discard}});
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

void ZeroPage::remember(const JobRequest& request, double seconds) {
  const auto* work = std::get_if<job::Zero>(&request.work);
  if (work && request.device && request.device->whole())
    QSettings().setValue(key_of(request.device->disk, way_of(*work)), seconds);
}

}  // namespace disklathe::ui
