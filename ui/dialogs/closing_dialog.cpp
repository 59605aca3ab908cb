// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/closing_dialog.h"

#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>

#include "ui/images/open_image.h"
#include "ui/jobs/export_server.h"
#include "ui/jobs/job_queue.h"
#include "ui/words/result_words.h"

namespace disklathe::ui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(disklathe::ui::ClosingDialog)
};

}  // namespace

ClosingDialog::Choice ClosingDialog::ask() {
  QStringList left;
  for (const QueuedJob* job : queue_.jobs())
    if (job->state() == QueuedJob::State::running && job->worker())
      left << ResultWords::title(job->request()) + QLatin1Char('\n') +
                  ResultWords::if_cancelled(job->request(), job->worker()->progress());
  for (const ExportServer* server : exports_)
    left << Words::tr("%1 is served: who reads it loses it when it stops.").arg(server->image()->name());
  const auto jobs = queue_.running() + queue_.waiting() + static_cast<int>(exports_.size());
  QMessageBox box(QMessageBox::Question, Words::tr("Jobs are running"),
                  Words::tr("%n job(s) not done yet. Close the window?", nullptr, jobs), QMessageBox::NoButton,
                  parent_);
  box.setTextFormat(Qt::PlainText);
  box.setInformativeText(left.join(QStringLiteral("\n\n")));
  QPushButton* keep = box.addButton(Words::tr("&Keep Running"), QMessageBox::AcceptRole);
  QPushButton* stop = box.addButton(Words::tr("&Stop"), QMessageBox::DestructiveRole);
  QPushButton* cancel = box.addButton(Words::tr("Cancel"), QMessageBox::RejectRole);
  keep->setToolTip(Words::tr(
      "They go on without a window. A notification tells when they end; the next start shows what still runs."));
  box.setDefaultButton(cancel);
  box.setEscapeButton(cancel);
  box.exec();
  if (box.clickedButton() == keep) return Choice::keep_running;
  return box.clickedButton() == stop ? Choice::stop : Choice::cancel;
}

}  // namespace disklathe::ui
