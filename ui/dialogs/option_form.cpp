// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/option_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLineEdit>

#include "ui/controls/text_label.h"
#include "ui/words/format_words.h"

namespace disklathe::ui {
namespace {

constexpr int shown_at_first = 2;

QString text(std::string_view from) { return QString::fromUtf8(from.data(), static_cast<qsizetype>(from.size())); }

}  // namespace

OptionForm::OptionForm(QWidget* parent) : QWidget(parent) {
  grid_ = new QGridLayout(this);
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setHorizontalSpacing(16);
  grid_->setVerticalSpacing(4);
  grid_->setColumnStretch(1, 1);
  grid_->setColumnMinimumWidth(0, 96);
}

void OptionForm::set_format(const Format& format) {
  while (QLayoutItem* item = grid_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  fields_.clear();
  defaults_.clear();
  extra_.clear();
  more_ = nullptr;
  int row = 0, shown = 0;
  for (const OptionInfo& option : format.options)
    if (FormatWords::is_shown(option)) add(option, 2 * row++, shown++ < shown_at_first);
  if (!extra_.isEmpty()) {
    more_ = new QCheckBox(tr("Show &all options"));
    grid_->addWidget(more_, 2 * row, 1);
    connect(more_, &QCheckBox::toggled, this, &OptionForm::show_all);
    show_all(false);
  }
}

void OptionForm::add(const OptionInfo& option, int row, bool shown) {
  const QString name = FormatWords::option(option), key = text(option.name);
  auto* label = new TextLabel(name, Face::body, Ink::muted);
  label->set_trailing();
  QWidget* field = nullptr;
  if (!option.values.empty()) {
    auto* box = new QComboBox;
    for (const std::string_view value : option.values)
      if (const QString words = FormatWords::value(value); !words.isEmpty()) box->addItem(words, text(value));
    box->setCurrentIndex(std::max(0, box->findData(text(option.default_value))));
    connect(box, &QComboBox::currentIndexChanged, this, &OptionForm::changed);
    field = box;
  } else {
    auto* line = new QLineEdit(text(option.default_value));
    line->setPlaceholderText(tr("the format's own choice"));
    connect(line, &QLineEdit::editingFinished, this, &OptionForm::changed);
    field = line;
  }
  field->setMinimumHeight(32);
  field->setAccessibleName(name);
  label->setBuddy(field);
  auto* hint = new TextLabel(FormatWords::explanation(option), Face::caption, Ink::muted);
  hint->setContentsMargins(2, 0, 2, 8);
  hint->setWordWrap(true);
  field->setAccessibleDescription(hint->whole_text());
  grid_->addWidget(label, row, 0);
  grid_->addWidget(field, row, 1);
  grid_->addWidget(hint, row + 1, 1);
  fields_[key] = field;
  defaults_[key] = text(option.default_value);
  if (!shown) extra_ << label << field << hint;
}

void OptionForm::show_all(bool all) {
  for (QWidget* widget : std::as_const(extra_)) widget->setVisible(all);
}

FormatOptions OptionForm::options() const {
  FormatOptions options;
  for (auto field = fields_.begin(); field != fields_.end(); ++field) {
    const auto* box = qobject_cast<const QComboBox*>(field.value());
    const QString value =
        box ? box->currentData().toString() : static_cast<const QLineEdit*>(field.value())->text().trimmed();
    if (!value.isEmpty() && value != defaults_.value(field.key()))
      options[field.key().toStdString()] = value.toStdString();
  }
  return options;
}

}  // namespace disklathe::ui
