// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>
#include <QStringList>
#include <optional>

#include "core/job/outcome.h"
#include "ui/devices/device.h"
#include "ui/jobs/worker_job.h"
#include "ui/pictures/allocation_map.h"

namespace disklathe::ui {

// A file that was dropped or opened, and what a worker found out about it. Never parsed in this process.
//
// First the file alone is looked at. What it names is shown, and opened only once allow() said so; then the chain, the
// partitions and the map follow.
//
// Or a device of which an image is to be made: raw, whatever its bytes look like. Nothing is asked of it, and no list
// shows it.
class OpenImage : public QObject {
  Q_OBJECT
 public:
  explicit OpenImage(const QString& path, QObject* parent = nullptr);
  explicit OpenImage(const DevicePtr& device);
  ~OpenImage() override;

  const DevicePtr& device() const { return device_; }  // null: a file
  void inspect();                                      // anew
  void allow(const QString& path);

  enum class State : uint8_t { unread, reading, ready, failed };
  State state() const { return state_; }
  const QString& path() const { return path_; }
  QString name() const;
  QString format() const;  // "qcow2", "raw in xz"
  QString detail() const;  // "64.4 GB · qcow2"
  QString badge() const;
  QString facts() const;  // "qcow2 · 64,424,509,440 bytes · backing file win11-base.qcow2 · GPT, 512-byte sectors"
  const QString& failure() const { return failure_; }  // the sentence
  const QString& failure_help() const { return failure_help_; }

  uint64_t virtual_size() const;  // 0: not known
  uint64_t stored() const;        // bytes that its files take
  // Of all layers that could be looked at, top first; empty: a stream, or not read.
  const std::vector<job::LayerFacts>& layers() const { return inspection_.layers; }
  const std::optional<job::StreamFacts>& stream() const { return inspection_.stream; }
  const std::optional<PartitionTable>& partitions() const { return inspection_.partitions; }
  const std::vector<job::DiskPart>& parts() const { return inspection_.parts; }
  const QList<WorkerJob::Refused>& references_to_allow() const { return pending_; }
  const QStringList& approved() const { return approved_; }
  const ContentCells& cells() const { return cells_; }
  bool map_complete() const { return map_complete_; }
  const QStringList& log() const { return log_; }
  bool file_has_holes() const;       // the image's own file, in more than a twentieth of it
  bool has_wrong_extension() const;  // the content is of another format than the name says

 Q_SIGNALS:
  void changed();
  void map_grew();

 private:
  WorkerJob* start(job::Work work);
  void look_at_chain();
  void read_map();
  void take_failure(const Error& error);

  QString path_;
  DevicePtr device_;
  State state_ = State::unread;
  uint64_t file_size_ = 0;
  job::Inspection inspection_;
  QList<WorkerJob::Refused> pending_;
  QStringList approved_, log_;
  QString failure_, failure_help_;
  ContentCells cells_;
  bool map_complete_ = false;
  QPointer<WorkerJob> job_;
};

}  // namespace disklathe::ui
