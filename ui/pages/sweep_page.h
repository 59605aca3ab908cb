// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/device/limit_report.h"
#include "ui/controls/surfaces.h"
#include "ui/devices/device.h"
#include "ui/images/image_model.h"
#include "ui/jobs/job_queue.h"
#include "ui/pictures/sweep_plot.h"

class QComboBox;
class QPushButton;
class QVBoxLayout;

namespace disklathe::ui {

class TextLabel;
struct Erasure;

// What a device makes of the size of requests: measured by reading, which changes nothing; by writing to a scratch file
// on it, of which nothing stays; or by writing to the device, once that is confirmed. Or what the file of an image and
// all that lies below it make of them, by reading. Earlier runs of the same kind lie under it.
class SweepPage : public Page {
  Q_OBJECT
 public:
  enum class Of : uint8_t { device, file };
  SweepPage(Of of, JobQueue& queue, QWidget* parent = nullptr);
  void set_device(const DevicePtr& device);
  void set_file(const OpenImage& image);
  void set_limits(const Limits& limits);
  void show_run(const SweepRun& run, const QVector<SweepRun>& saved);

 Q_SIGNALS:
  void write_wanted(const QString& node, const disklathe::ui::Erasure& erasure,
                    const disklathe::ui::JobRequest& request);

 private:
  struct Mode {
    QString words, key;
    unsigned depth = 1;
    enum class On : uint8_t { reading, device, scratch } on = On::reading;
  };
  // What is looked at.
  struct Subject {
    QString id;  // what its runs are kept under
    QString path;
    uint64_t size = 0;
    DevicePtr device;  // null: a file
    QString doubt;     // why what is measured may not be its speed
  };
  static QString key_of(Mode::On on, unsigned depth);
  void set_subject(Subject subject, bool another);
  bool measures(const QueuedJob& job) const;
  const Mode& mode() const;
  void fill_modes();
  QString scratch_folder() const;  // empty: none that may be written
  uint64_t area() const;           // bytes that are gone through; 0: there is no room
  void run();
  void follow(QueuedJob* job);
  void take_mode();
  void show_job();
  void show_button();
  bool runs() const;  // a measurement, or it waits its turn
  void remember(QueuedJob* job);
  void show_intent();
  void add_fact(const QString& title, const QString& words);
  void show_facts();
  void save_as();

  const Of of_;
  JobQueue& queue_;
  std::optional<Subject> subject_;
  QPointer<QueuedJob> job_;
  SweepRun run_;
  QVector<SweepRun> saved_;
  QVector<Mode> modes_;
  QComboBox* mode_;
  TextLabel* intent_;
  QPushButton* export_;
  QPushButton* go_;
  TextLabel* empty_;
  QWidget* result_;
  SweepPlot* plot_;
  TextLabel* best_size_;
  QVBoxLayout* facts_;
  TextLabel* how_;
};

}  // namespace disklathe::ui
