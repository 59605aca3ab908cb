// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/disk_answers.h"

#include <QHBoxLayout>

#include "ui/controls/buttons.h"
#include "ui/controls/fact_table.h"
#include "ui/controls/text_label.h"
#include "ui/jobs/worker_job.h"
#include "ui/words/disk_words.h"
#include "ui/words/error_words.h"

namespace disklathe::ui {

DiskAnswers::DiskAnswers(QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 8, 0, 0);
  column->setSpacing(8);
  auto* row = new QHBoxLayout;
  row->setSpacing(16);
  auto* words = new QVBoxLayout;
  words->setSpacing(0);
  words->addWidget(new TextLabel(tr("What the disk says of itself"), Face::section));
  state_ = new TextLabel({}, Face::body, Ink::muted);
  state_->setWordWrap(true);
  words->addWidget(state_);
  row->addLayout(words, 1);
  ask_ = make_button({});
  ask_->setMinimumWidth(112);
  row->addWidget(ask_, 0, Qt::AlignTop);
  column->addLayout(row);
  table_ = new FactTable(tr("What the disk says of itself"), {{tr("Limit"), FactTable::Look::first, 224},
                                                              {tr("Value"), FactTable::Look::number, 132},
                                                              {tr("What it means"), FactTable::Look::plain, 0}});
  column->addWidget(table_);
  rest_ = new TextLabel({}, Face::caption, Ink::muted);
  rest_->setWordWrap(true);
  column->addWidget(rest_);
  connect(ask_, &QPushButton::clicked, this, [this] { job_ ? stop() : ask(); });
}

DiskAnswers::~DiskAnswers() { stop(); }

void DiskAnswers::say(const QString& words, bool bad) {
  state_->set_ink(bad ? Ink::bad : Ink::muted);
  state_->set_text(words);
  ask_->setText(job_ ? tr("Cancel") : tr("&Ask the Disk"));
}

void DiskAnswers::set_device(const DevicePtr& device) {
  const bool another = !device_ || !same_device(device_->disk, device->disk);
  device_ = device;
  if (!another) return;
  stop();
  setVisible(DiskWords::can_be_asked(device->disk));
  table_->hide();
  rest_->hide();
  say(tr("By commands of SCSI, ATA or NVMe that change nothing. It may take a password."), false);
}

void DiskAnswers::ask() {
  JobRequest request{.work = job::Inspect{.format = "raw", .identify = true},
                     .source = QString::fromStdString(device_->disk.node)};
  request.read = device_;
  job_ = new WorkerJob(std::move(request), this);
  connect(job_, &WorkerJob::done, this, [this, worker = job_.data()] {
    worker->deleteLater();
    job_.clear();
    const JobResult& result = worker->result();
    if (!result.good()) return say(ErrorWords::whole(*result.error), true);
    show_answers(std::get<job::Inspection>(*result.outcome).identified);
  });
  job_->start();
  say(tr("Asking"), false);
}

void DiskAnswers::stop() {
  if (!job_) return;
  job_->disconnect(this);
  job_->stop();
  job_->deleteLater();
  job_.clear();
  say({}, false);
}

void DiskAnswers::show_answers(const std::optional<Identified>& disk) {
  table_->setVisible(disk.has_value());
  rest_->setVisible(disk.has_value());
  if (!disk) return say(tr("It does not answer. Not every disk, bridge and kernel passes such questions on."), false);
  say(DiskWords::who(*disk), false);
  QVector<QVector<FactTable::Cell>> rows;
  for (const DiskWords::Row& row : DiskWords::rows(*disk))
    rows << QVector<FactTable::Cell>{{row.title}, {row.value}, {row.meaning}};
  table_->set_rows(rows);
  rest_->set_text(DiskWords::not_reported(*disk));
  rest_->setVisible(!rest_->whole_text().isEmpty());
}

}  // namespace disklathe::ui
