// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/device_view.h"

#include <QToolButton>

#include "ui/controls/banner.h"
#include "ui/controls/buttons.h"
#include "ui/pages/limits_page.h"
#include "ui/pages/partitions_page.h"
#include "ui/pages/sweep_page.h"
#include "ui/pages/zero_page.h"
#include "ui/theme/icons.h"
#include "ui/words/device_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {

DeviceView::DeviceView(JobQueue& queue, QWidget* parent) : ThingView(tr("Pages of the device"), parent) {
  limits_ = new LimitsPage;
  partitions_ = new PartitionsPage;
  const int limits = add_page(tr("Limits"), limits_);
  sweep_ = new SweepPage(queue);
  zero_ = new ZeroPage;
  add_page(tr("Partitions"), partitions_);
  add_page(tr("Sweep"), sweep_);
  add_page(tr("Zero"), zero_);
  QToolButton* copy = make_tool(tr("Copy as JSON"), action_icon(QLatin1String("edit-copy")));
  connect(copy, &QToolButton::clicked, limits_, &LimitsPage::copy_json);
  add_tool(copy, limits);
  connect(limits_, &LimitsPage::reported, this, [this] {
    const LimitReport& report = *limits_->report();
    partitions_->set_physical_block(report.used.physical_block);
    sweep_->set_limits(report.used);
    zero_->set_limits(report.reported);
  });
  connect(&banner(), &Banner::resolved, this, [this] {
    if (device_) Q_EMIT unmount_wanted(device_);
  });
}

void DeviceView::set_device(const DevicePtr& device) {
  const bool another = !device_ || !same_device(device_->disk, device->disk);
  device_ = device;
  if (another) limits_->set_path(QString::fromStdString(device->disk.node));
  partitions_->set_device(device);
  sweep_->set_device(device);
  zero_->set_device(device);
  show_state();
}

void DeviceView::show_state() {
  const Disk& disk = device_->disk;
  set_header(DeviceWords::glyph(disk), DeviceWords::name(disk), DeviceWords::facts(disk), Sizes::decimal(disk.size));
  const Usage& usage = device_->usage;
  if (usage.system) {
    banner().show_message(Card::Tone::quiet, DeviceWords::why_not_written(*device_));
  } else if (DeviceWords::only_mounted(usage)) {
    const QStringList points = DeviceWords::mount_points(usage);
    banner().show_message(Card::Tone::warn,
                          tr("Mounted at %1. Unmount it before writing.").arg(points.join(QStringLiteral(", "))),
                          tr("Unmount"));
  } else if (const QString why = DeviceWords::why_not_written(*device_); !why.isEmpty()) {
    banner().show_message(Card::Tone::warn, why);
  } else {
    banner().hide();
  }
}

void DeviceView::set_vanished() {
  if (!device_) return;
  banner().show_message(Card::Tone::bad,
                        tr("%1 was unplugged. What is shown is from before.").arg(DeviceWords::name(device_->disk)));
  device_.reset();
}

}  // namespace disklathe::ui
