// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/history_page.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QSaveFile>

#include "ui/controls/buttons.h"
#include "ui/controls/text_label.h"
#include "ui/theme/glyph.h"
#include "ui/theme/icons.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr qsizetype most_shown = 100;

void save_report(QWidget* parent, const History::Entry& entry) {
  const QString path =
      QFileDialog::getSaveFileName(parent, HistoryPage::tr("Save Report"), HistoryPage::tr("report.txt"));
  if (path.isEmpty()) return;
  QSaveFile file(path);
  if (file.open(QIODevice::WriteOnly) && file.write(History::report(entry).toUtf8()) >= 0) file.commit();
}

}  // namespace

HistoryPage::HistoryPage(History& history, QWidget* parent) : QWidget(parent), history_(history) {
  set_surface(*this, true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* title = new TextLabel(tr("History"), Face::title);
  title->setContentsMargins(24, 16, 24, 12);
  column->addWidget(title);
  column->addWidget(new Rule);
  page_ = new Page;
  rows_ = static_cast<QVBoxLayout*>(page_->body()->layout());
  rows_->setSpacing(0);
  column->addWidget(page_, 1);
  // Each job that ends changes it, a page of a hundred rows.
  connect(&history_, &History::changed, this, [this] {
    stale_ = true;
    if (isVisible()) rebuild();
  });
}

void HistoryPage::showEvent(QShowEvent* event) {
  if (stale_) rebuild();
  QWidget::showEvent(event);
}

void HistoryPage::rebuild() {
  stale_ = false;
  while (QLayoutItem* item = rows_->takeAt(0)) {
    if (item->widget()) item->widget()->deleteLater();
    delete item;
  }
  if (history_.entries().isEmpty())
    rows_->addWidget(new TextLabel(tr("Nothing was converted yet. What ends is kept here, with its result."),
                                   Face::body, Ink::muted));
  for (const History::Entry& entry : history_.entries().first(std::min(most_shown, history_.entries().size()))) {
    auto* row = new QWidget;
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 8, 0, 8);
    line->setSpacing(16);
    line->addWidget(new GlyphView(entry.good ? Glyph::good : Glyph::bad, 22));
    auto* words = new QVBoxLayout;
    words->setSpacing(0);
    auto* title = new TextLabel(entry.title, Face::section);
    title->set_elided();
    auto* result = new TextLabel(entry.result, Face::body, entry.good ? Ink::text : Ink::bad);
    result->set_elided();
    words->addWidget(title);
    words->addWidget(result);
    line->addLayout(words, 1);
    QStringList facts{Sizes::locale().toString(entry.when, QLocale::ShortFormat)};
    if (entry.bytes) facts << Sizes::decimal(entry.bytes);
    if (entry.seconds > 0) facts << Sizes::duration(entry.seconds);
    if (!entry.target_serial.isEmpty())
      facts << tr("serial %1").arg(QStringLiteral("…") + entry.target_serial.right(4));
    line->addWidget(new TextLabel(facts.join(QStringLiteral(" · ")), Face::caption, Ink::muted));
    auto* report =
        make_tool({}, action_icon(QLatin1String("document-save")), tr("Save the report of %1").arg(entry.title));
    connect(report, &QToolButton::clicked, this, [this, entry] { save_report(window(), entry); });
    line->addWidget(report);
    auto* again = make_button(tr("Again…"));
    again->setAccessibleName(tr("%1 again").arg(entry.title));
    connect(again, &QPushButton::clicked, this, [this, entry] { Q_EMIT this->again(entry); });
    again->setVisible(!entry.source.isEmpty() && !entry.target.isEmpty());
    line->addWidget(again);
    rows_->addWidget(row);
    rows_->addWidget(new Rule);
  }
  rows_->addStretch(1);
}

}  // namespace disklathe::ui
