// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QWidget>

#include "core/format/registry.h"

class QCheckBox;
class QGridLayout;

namespace disklathe::ui {

// The options of a format as the registry describes them, each with a field and a plain sentence: what the core learns
// appears here. The first few are shown, the rest behind a box.
class OptionForm : public QWidget {
  Q_OBJECT
 public:
  explicit OptionForm(QWidget* parent = nullptr);
  void set_format(const Format& format);
  FormatOptions options() const;  // those that differ from the format's own choice

 Q_SIGNALS:
  void changed();

 private:
  void add(const OptionInfo& option, int row, bool shown);
  void show_all(bool all);

  QGridLayout* grid_;
  QCheckBox* more_ = nullptr;
  QList<QWidget*> extra_;
  QHash<QString, QWidget*> fields_;
  QHash<QString, QString> defaults_;
};

}  // namespace disklathe::ui
