// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/device_view.h"

#include <QToolButton>

#include "ui/controls/banner.h"
#include "ui/controls/buttons.h"
#include "ui/controls/page_tabs.h"
#include "ui/devices/device_log.h"
#include "ui/pages/device_contents_page.h"
#include "ui/pages/disk_answers.h"
#include "ui/pages/limits_page.h"
#include "ui/pages/log_page.h"
#include "ui/pages/partitions_page.h"
#include "ui/pages/sweep_page.h"
#include "ui/pages/zero_page.h"
#include "ui/theme/icons.h"
#include "ui/words/device_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {

DeviceView::DeviceView(JobQueue& queue, ImageModel& images, DeviceLog& log, QWidget* parent)
    : ThingView(tr("Pages of the device"), parent), log_(log) {
  contents_ = new DeviceContentsPage(queue, images);
  limits_ = new LimitsPage;
  partitions_ = new PartitionsPage;
  sweep_ = new SweepPage(SweepPage::Of::device, queue);
  zero_ = new ZeroPage;
  log_page_ = new LogPage;
  // In the order of Tab.
  add_page(tr("Contents"), contents_);
  const int limits = add_page(tr("Limits"), limits_);
  add_page(tr("Partitions"), partitions_);
  add_page(tr("Sweep"), sweep_);
  add_page(tr("Zero"), zero_);
  add_page(tr("Log"), log_page_);
  show_tab(Tab::limits);
  connect(this, &ThingView::page_shown, this, &DeviceView::show_log);
  connect(&log, &DeviceLog::changed, this, &DeviceView::show_log);
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
  limits_->answers().set_device(device);
  contents_->set_device(device);
  partitions_->set_device(device);
  sweep_->set_device(device);
  zero_->set_device(device);
  show_state();
  show_log();
}

void DeviceView::show_log() {
  if (device_ && tabs().currentIndex() == static_cast<int>(Tab::log))
    log_page_->set_lines(log_.lines_of(device_->disk));
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
  show_log();
  device_.reset();
}

}  // namespace disklathe::ui
