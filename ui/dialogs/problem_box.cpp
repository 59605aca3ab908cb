// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/problem_box.h"

#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>

namespace disklathe::ui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(disklathe::ui::ProblemBox)
};

}  // namespace

void show_problem(QWidget* window, const QString& title, const QString& why) {
  auto* box = new QMessageBox(QMessageBox::Warning, title, title, QMessageBox::NoButton, window);
  // Qt's own words are there only where its translations are installed.
  box->addButton(Words::tr("Close"), QMessageBox::RejectRole);
  box->setTextFormat(Qt::PlainText);
  box->setInformativeText(why);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->open();
}

}  // namespace disklathe::ui
