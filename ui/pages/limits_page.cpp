// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/limits_page.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QThreadPool>

#include "ui/controls/buttons.h"
#include "ui/controls/fact_table.h"
#include "ui/controls/text_label.h"
#include "ui/pages/disk_answers.h"
#include "ui/pictures/limits_picture.h"
#include "ui/pictures/request_split.h"
#include "ui/theme/icons.h"
#include "ui/words/error_words.h"
#include "ui/words/limit_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr int source_column = 2, narrow_below = 860;

QComboBox* size_box(const QString& name, std::initializer_list<uint64_t> sizes) {
  auto* box = new QComboBox;
  box->setEditable(true);
  box->setInsertPolicy(QComboBox::NoInsert);
  box->setAccessibleName(name);
  box->lineEdit()->setAccessibleName(name);
  box->setMinimumHeight(32);
  box->setFixedWidth(112);
  for (const uint64_t size : sizes) box->addItem(Sizes::binary(size));
  return box;
}

}  // namespace

LimitsPage::LimitsPage(QWidget* parent) : Page(parent) {
  auto* column = static_cast<QVBoxLayout*>(body()->layout());
  failure_ = new TextLabel({}, Face::body, Ink::muted);
  failure_->setWordWrap(true);
  failure_->hide();
  column->addWidget(failure_);
  findings_ = new TextLabel({}, Face::body, Ink::warn);
  findings_->setWordWrap(true);
  findings_->hide();
  column->addWidget(findings_);
  picture_ = new LimitsPicture;
  column->addWidget(picture_);

  request_panel_ = new Card;
  auto* panel = new QVBoxLayout(request_panel_);
  panel->setContentsMargins(16, 10, 16, 12);
  panel->setSpacing(8);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  headline_ = new TextLabel({}, Face::section);
  why_ = new TextLabel({}, Face::body, Ink::muted);
  why_->set_elided();
  constexpr uint64_t kib = 1024, mib = kib * kib;
  size_ =
      size_box(tr("Size of the request"), {4 * kib, 64 * kib, 256 * kib, 512 * kib, mib, 2 * mib, 4 * mib, 10 * mib});
  offset_ = size_box(tr("Offset of the request"), {512, 4 * kib, mib});
  offset_->insertItem(0, QStringLiteral("0"));
  row->addWidget(headline_);
  row->addWidget(why_, 1);
  row->addWidget(size_);
  row->addWidget(new TextLabel(tr("at offset"), Face::body, Ink::muted));
  row->addWidget(offset_);
  panel->addLayout(row);
  split_ = new RequestSplit;
  panel->addWidget(split_);
  column->addWidget(request_panel_);

  table_ = new FactTable(tr("Limits"), {{tr("Limit"), FactTable::Look::first, 224},
                                        {tr("Value"), FactTable::Look::number, 132},
                                        {tr("Source"), FactTable::Look::caption, 96},
                                        {tr("What it means"), FactTable::Look::plain, 0}});
  column->addWidget(table_);
  answers_ = new DiskAnswers;
  column->addWidget(answers_);
  column->addStretch(1);

  size_->setCurrentText(Sizes::binary(mib));
  offset_->setCurrentText(QStringLiteral("0"));
  connect(picture_, &LimitsPicture::request_moved, this, [this](uint64_t bytes) {
    size_->setCurrentText(Sizes::binary(bytes));
    show_request();
  });
  for (QComboBox* box : {size_, offset_}) {
    connect(box, &QComboBox::activated, this, &LimitsPage::take_typed);
    connect(box->lineEdit(), &QLineEdit::editingFinished, this, &LimitsPage::take_typed);
  }
}

void LimitsPage::set_path(const QString& path) {
  path_ = path;
  report_.reset();
  QThreadPool::globalInstance()->start([path, asked = ++asked_, guard = QPointer<LimitsPage>(this)] {
    auto read = std::make_shared<Result<LimitReport>>(report_limits(path.toStdString()));
    QMetaObject::invokeMethod(qApp, [guard, path, asked, read] {
      if (!guard || guard->asked_ != asked) return;
      if (*read)
        guard->set_report(path, **read);
      else
        guard->show_failure(ErrorWords::whole(read->error()));
    });
  });
}

void LimitsPage::show_failure(const QString& sentence) {
  failure_->set_text(sentence);
  for (QWidget* part :
       {static_cast<QWidget*>(picture_), static_cast<QWidget*>(request_panel_), static_cast<QWidget*>(table_)})
    part->hide();
  findings_->hide();
  failure_->show();
}

void LimitsPage::set_report(const QString& path, const LimitReport& report) {
  ++asked_;
  path_ = path;
  report_ = report;
  failure_->hide();
  for (QWidget* part :
       {static_cast<QWidget*>(picture_), static_cast<QWidget*>(request_panel_), static_cast<QWidget*>(table_)})
    part->show();
  picture_->set_report(report);
  QStringList findings;
  for (const LimitFinding& finding : report.findings) findings << LimitWords::sentence(finding);
  findings_->set_text(findings.join(QLatin1Char('\n')));
  findings_->setVisible(!findings.isEmpty());
  QVector<QVector<FactTable::Cell>> rows;
  for (const LimitRow& row : LimitWords::rows(report)) {
    const QString source = row.used ? tr("replaced") : LimitWords::source(row.source);
    rows << QVector<FactTable::Cell>{
        {row.title}, {row.value, row.used.has_value(), row.absent}, {source}, {row.meaning}};
  }
  table_->set_rows(rows);
  show_request();
  Q_EMIT reported();
}

void LimitsPage::take_typed() {
  const auto size = Sizes::parse(size_->currentText());
  if (!size) size_->setCurrentText(Sizes::binary(picture_->request()));
  show_request();
}

void LimitsPage::show_request() {
  if (!report_) return;
  const auto size = Sizes::parse(size_->currentText());
  const uint64_t offset = Sizes::parse(offset_->currentText()).value_or(0);
  if (!size) return;
  picture_->set_request(*size);
  const Range request{offset, *size};
  const auto shape = shape_of_request(report_->used, request, report_->start);
  split_->setVisible(shape.has_value());
  if (!shape) {
    const QString block = Sizes::binary(report_->used.logical_block.value.value_or(512));
    headline_->set_text(tr("Not possible"));
    why_->set_text(tr("Size and offset must be multiples of the logical block of %1.").arg(block));
    return;
  }
  headline_->set_text(LimitWords::headline(*shape));
  why_->set_text(LimitWords::why(*shape, *report_));
  split_->set_shape(*shape, request);
}

void LimitsPage::copy_json() const {
  if (report_) QGuiApplication::clipboard()->setText(QString::fromUtf8(LimitWords::json(path_, *report_)));
}

void LimitsPage::resizeEvent(QResizeEvent* event) {
  table_->setColumnHidden(source_column, width() < narrow_below);
  Page::resizeEvent(event);
}

}  // namespace disklathe::ui
