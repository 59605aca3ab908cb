// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/devices/device_watch.h"

#include <fcntl.h>

#include <QSocketNotifier>
#include <QTimer>

#include "core/device/descriptor.h"
#include "core/device/hotplug.h"
#include "ui/words/error_words.h"

namespace disklathe::ui {
namespace {

constexpr int settle_ms = 150;    // a disk comes with its partitions: one look for all of them
constexpr int slowly_ms = 30000;  // what no event tells: a file system's label, a holder that came late

// What nobody has set up: loop devices without a file, RAM disks that nothing uses.
bool is_idle(const Disk& disk, const Usage& usage) {
  return is_virtual(disk.bus) && (disk.size == 0 || (disk.bus == Bus::ram && !usage.in_use));
}

Result<DeviceList> look() {
  auto disks = enumerate_disks();
  if (!disks) return failure(disks);
  const UsageMap usage(*disks);
  DeviceList real, made;
  for (Disk& disk : *disks) {
    auto device = std::make_shared<Device>();
    device->usage = usage.of(disk.name);
    if (is_idle(disk, device->usage)) continue;
    for (const Partition& partition : disk.partitions) device->partition_usage.push_back(usage.of(partition.name));
    device->disk = std::move(disk);
    (is_virtual(device->disk.bus) ? made : real).push_back(std::move(device));
  }
  real.insert(real.end(), made.begin(), made.end());
  return real;
}

}  // namespace

// Lives on the watch's thread.
class DeviceWatch::Looker : public QObject {
 public:
  explicit Looker(DeviceWatch& watch) : watch_(watch) {}

  void begin() {
    settle_.setSingleShot(true);
    QObject::connect(&settle_, &QTimer::timeout, this, [this] { now(); });
    QObject::connect(&slowly_, &QTimer::timeout, this, [this] { now(); });
    slowly_.start(slowly_ms);
    if (auto hotplug = Hotplug::open()) {
      hotplug_ = std::move(*hotplug);
      plug_ = std::make_unique<QSocketNotifier>(hotplug_->descriptor(), QSocketNotifier::Read);
      QObject::connect(plug_.get(), &QSocketNotifier::activated, this, [this] {
        hotplug_->take([](const HotplugEvent&) {});
        settle_.start(settle_ms);
      });
    }
    mounts_ = Descriptor(open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC));
    if (mounts_.open()) {
      mounted_ = std::make_unique<QSocketNotifier>(mounts_.get(), QSocketNotifier::Exception);
      QObject::connect(mounted_.get(), &QSocketNotifier::activated, this, [this] { settle_.start(settle_ms); });
    }
    now();
  }

  void now() {
    auto devices = look();
    if (devices)
      Q_EMIT watch_.changed(*devices);
    else
      Q_EMIT watch_.failed(ErrorWords::whole(devices.error()));
  }

  void soon() { settle_.start(settle_ms); }
  void end() {
    plug_.reset();
    mounted_.reset();
    settle_.stop();
    slowly_.stop();
  }

 private:
  DeviceWatch& watch_;
  QTimer settle_{this}, slowly_{this};
  std::unique_ptr<Hotplug> hotplug_;
  Descriptor mounts_;
  std::unique_ptr<QSocketNotifier> plug_, mounted_;
};

DeviceWatch::DeviceWatch(QObject* parent) : QObject(parent), looker_(new Looker(*this)) {
  qRegisterMetaType<disklathe::ui::DeviceList>();
  thread_.setObjectName(QStringLiteral("devices"));
  looker_->moveToThread(&thread_);
  connect(&thread_, &QThread::started, looker_, [this] { looker_->begin(); });
  connect(&thread_, &QThread::finished, looker_, [this] { looker_->end(); }, Qt::DirectConnection);
}

DeviceWatch::~DeviceWatch() {
  thread_.quit();
  thread_.wait();
  delete looker_;
}

void DeviceWatch::start() { thread_.start(); }

void DeviceWatch::look_again() {
  QMetaObject::invokeMethod(looker_, [this] { looker_->soon(); });
}

}  // namespace disklathe::ui
