// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_actions.h"

#include <QAction>
#include <QHBoxLayout>
#include <QMenu>
#include <QMessageBox>
#include <QToolButton>

#include "core/base/version.h"
#include "ui/controls/buttons.h"
#include "ui/dialogs/preferences_dialog.h"
#include "ui/flows/conversion_flow.h"
#include "ui/images/open_image.h"
#include "ui/main_window.h"
#include "ui/pages/history_page.h"
#include "ui/pages/image_view.h"
#include "ui/theme/glyph.h"
#include "ui/theme/icons.h"

namespace disklathe::ui {
namespace {

constexpr int bar_height = 48, button_height = 36, icon_size = 22;

QToolButton* tool_of(QAction* action, bool with_word) {
  QToolButton* button =
      make_tool(with_word ? action->text() : QString(), action->icon(), action->text().remove(QLatin1Char('&')));
  button->setDefaultAction(action);
  button->setToolButtonStyle(with_word ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
  button->setIconSize({icon_size, icon_size});
  button->setMinimumHeight(button_height);
  return button;
}

}  // namespace

MainActions::MainActions(MainWindow& window) : QObject(&window), window_(window) {
  open_ = add(tr("&Open…"), action_icon(QLatin1String("document-open")), QKeySequence::Open, &MainActions::open);
  convert_ = add(tr("&Convert…"), action_icon(QLatin1String("document-export")), QKeySequence(tr("Ctrl+E")),
                 &MainActions::convert);
  write_ = add(tr("&Write to Device…"), icon_of(Glyph::usb), QKeySequence(tr("Ctrl+D")), &MainActions::write_to_device);
  make_image_ = add(tr("Make &Image…"), action_icon(QLatin1String("document-save-as")), QKeySequence(tr("Ctrl+I")),
                    &MainActions::make_image);
  make_image_->setToolTip(tr("An image file of the device that is shown"));
  export_ = add(tr("E&xport…"), icon_of(Glyph::network), QKeySequence(tr("Ctrl+N")), &MainActions::export_image);
  verify_ =
      add(tr("&Verify…"), action_icon(QLatin1String("checkmark")), QKeySequence(tr("Ctrl+R")), &MainActions::verify);
  history_ = add(tr("&History"), action_icon(QLatin1String("view-history")), QKeySequence(tr("Ctrl+H")),
                 &MainActions::show_history);
  preferences_ = add(tr("&Preferences…"), action_icon(QLatin1String("configure")), QKeySequence::Preferences,
                     &MainActions::show_preferences);
  about_ = add(tr("&About Disklathe"), action_icon(QLatin1String("help-about")), {}, &MainActions::show_about);
  quit_ = add(tr("&Quit"), {}, QKeySequence::Quit, &MainActions::quit);
}

QAction* MainActions::add(const QString& text, const QIcon& icon, const QKeySequence& key,
                          void (MainActions::*slot)()) {
  auto* action = new QAction(icon, text, this);
  action->setShortcut(key);
  connect(action, &QAction::triggered, this, slot);
  window_.addAction(action);
  return action;
}

QWidget* MainActions::make_tools() {
  auto* bar = new QWidget;
  bar->setAccessibleName(tr("Tools"));
  bar->setFixedHeight(bar_height);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(8, 0, 8, 0);
  row->setSpacing(4);
  for (QAction* action : {open_, convert_, write_, make_image_, export_, verify_})
    row->addWidget(tool_of(action, true));
  row->addStretch(1);
  row->addWidget(tool_of(history_, false));
  auto* menu_button = make_tool({}, action_icon(QLatin1String("application-menu")), tr("Menu"));
  menu_button->setIconSize({icon_size, icon_size});
  menu_button->setMinimumHeight(button_height);
  menu_button->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(menu_button);
  menu->addActions({open_, convert_, write_, make_image_, export_, verify_});
  menu->addSeparator();
  menu->addActions({history_, preferences_, about_});
  menu->addSeparator();
  menu->addAction(quit_);
  menu_button->setMenu(menu);
  menu_button->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
  row->addWidget(menu_button);
  return bar;
}

void MainActions::update() {
  const ImagePtr image = window_.current_image();
  const bool can = image && image->state() == OpenImage::State::ready;
  for (QAction* action : {convert_, write_, export_, verify_}) {
    action->setEnabled(can);
    action->setToolTip(can ? QString() : tr("For an image: open one, or choose it on the left"));  // empty: its text
  }
  make_image_->setEnabled(window_.current_device() && window_.current_device()->disk.size > 0);
}

void MainActions::open() { window_.choose_files(); }
void MainActions::convert() { window_.flow_->begin(window_.current_image(), ConversionFlow::Where::file); }
void MainActions::write_to_device() { window_.flow_->begin(window_.current_image(), ConversionFlow::Where::device); }
void MainActions::make_image() { window_.flow_->make_image_of(window_.current_device()); }
void MainActions::export_image() {
  window_.show_image(window_.current_image());
  window_.image_view_->show_export();
}
void MainActions::verify() {
  window_.show_image(window_.current_image());
  window_.image_view_->show_compare();
}
void MainActions::show_history() { window_.show_page(window_.history_page_); }
void MainActions::quit() { window_.close(); }

void MainActions::show_preferences() {
  auto* dialog = new PreferencesDialog(&window_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
}

void MainActions::show_about() {
  const std::string_view number = version();
  QMessageBox::about(&window_, tr("About Disklathe"),
                     tr("Disklathe %1\n\nInspects and converts disk images, and writes them to devices.\n\nGNU General "
                        "Public License 3 or later.")
                         .arg(QString::fromUtf8(number.data(), static_cast<qsizetype>(number.size()))));
}

}  // namespace disklathe::ui
