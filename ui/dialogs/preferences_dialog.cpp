// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/preferences_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QSettings>
#include <QStyleHints>

#include "ui/controls/buttons.h"
#include "ui/controls/text_label.h"

namespace disklathe::ui {
namespace {

const QString verify_key = QStringLiteral("verify"), notify_key = QStringLiteral("notify"),
              colors_key = QStringLiteral("colors");

}  // namespace

PreferencesDialog::PreferencesDialog(QWidget* parent) : DialogFrame(tr("Preferences"), 560, parent) {
  const QSettings settings;
  content().addWidget(new TextLabel(tr("Preferences"), Face::title));
  verify_ = new QCheckBox(tr("&Verify what is written, by reading it back"));
  verify_->setChecked(settings.value(verify_key, true).toBool());
  content().addWidget(verify_);
  notify_ = new QCheckBox(tr("&Notify when a job ends and the window is not in front"));
  notify_->setChecked(settings.value(notify_key, true).toBool());
  content().addWidget(notify_);
  auto* row = new QHBoxLayout;
  auto* label = new TextLabel(tr("&Colours"), Face::body, Ink::muted);
  colors_ = new QComboBox;
  colors_->setMinimumHeight(32);
  colors_->setAccessibleName(tr("Colours"));
  colors_->addItem(tr("As the desktop has them"), static_cast<int>(Qt::ColorScheme::Unknown));
  colors_->addItem(tr("Light"), static_cast<int>(Qt::ColorScheme::Light));
  colors_->addItem(tr("Dark"), static_cast<int>(Qt::ColorScheme::Dark));
  colors_->setCurrentIndex(std::max(0, colors_->findData(settings.value(colors_key, 0).toInt())));
  label->setBuddy(colors_);
  row->addWidget(label);
  row->addWidget(colors_);
  row->addStretch(1);
  content().addLayout(row);
  auto* save = make_button(tr("Save"));
  add_button(save);
  cancel_button().setDefault(false);
  save->setDefault(true);
  connect(save, &QPushButton::clicked, this, &PreferencesDialog::save);
}

void PreferencesDialog::save() {
  QSettings settings;
  settings.setValue(verify_key, verify_->isChecked());
  settings.setValue(notify_key, notify_->isChecked());
  settings.setValue(colors_key, colors_->currentData());
  apply_colors();
  accept();
}

void PreferencesDialog::apply_colors() {
  const int scheme = QSettings().value(colors_key, 0).toInt();
#if QT_VERSION >= QT_VERSION_CHECK(6, 8, 0)
  QGuiApplication::styleHints()->setColorScheme(static_cast<Qt::ColorScheme>(scheme));
#else
  Q_UNUSED(scheme)
#endif
}

}  // namespace disklathe::ui
