// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/log_page.h"

#include <QScrollBar>

#include "ui/theme/theme.h"

namespace disklathe::ui {

LogPage::LogPage(QWidget* parent) : QPlainTextEdit(parent) {
  setReadOnly(true);
  setTabChangesFocus(true);
  setFrameShape(QFrame::NoFrame);
  setAccessibleName(tr("Log"));
  setPlaceholderText(tr("Nothing was done yet."));
  setFont(font_of(Face::mono));
  document()->setDocumentMargin(24);
}

void LogPage::set_lines(const QStringList& lines) {
  const QString text = lines.join(QLatin1Char('\n'));
  if (text == toPlainText()) return;
  setPlainText(text);
  verticalScrollBar()->setValue(verticalScrollBar()->maximum());
}

}  // namespace disklathe::ui
