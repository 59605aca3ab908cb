// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controls/buttons.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>

#include "ui/pictures/paint.h"
#include "ui/theme/icons.h"

namespace disklathe::ui {

QPushButton* make_button(const QString& text, QLatin1String icon) {
  auto* button = new QPushButton(text);
  if (!icon.isEmpty()) {
    button->setIcon(action_icon(icon));
    button->setIconSize({16, 16});
  }
  button->setMinimumHeight(32);
  button->setAutoDefault(false);
  return button;
}

QToolButton* make_tool(const QString& text, const QIcon& icon, const QString& name) {
  auto* button = new QToolButton;
  button->setText(text);
  button->setIcon(icon);
  button->setAutoRaise(true);
  button->setToolButtonStyle(text.isEmpty() ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
  button->setFocusPolicy(Qt::TabFocus);
  if (!name.isEmpty()) {
    button->setAccessibleName(name);
    button->setToolTip(name);
  }
  return button;
}

DangerButton::DangerButton(const QString& text, QWidget* parent) : QPushButton(text, parent) {
  setAutoDefault(false);
  setDefault(false);
  setAttribute(Qt::WA_Hover);
}

QSize DangerButton::sizeHint() const { return {static_cast<int>(width_of(text(), Face::section)) + 48, 36}; }

// Space presses it, as it does every button that has the focus; Enter, which is pressed without looking, does not.
void DangerButton::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    event->accept();
    return;
  }
  QPushButton::keyPressEvent(event);
}

void DangerButton::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setRenderHint(QPainter::Antialiasing);
  const Theme& t = theme();
  const QRectF box = QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5);
  if (isEnabled()) {
    p.setPen(Qt::NoPen);
    p.setBrush(isDown()       ? mix(t.danger_fill, Qt::black, .2)
               : underMouse() ? mix(t.danger_fill, Qt::black, .12)
                              : t.danger_fill);
  } else {
    p.setPen(QPen(t.line, 1));
    p.setBrush(t.well);
  }
  p.drawRoundedRect(box, 5, 5);
  QString shown = text();
  paint_text(p, box, Qt::AlignCenter, shown.remove(QLatin1Char('&')), Face::section,
             isEnabled() ? QColor(Qt::white) : mix(t.text, t.base, 0.5));
  if (hasFocus()) {
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(t.accent_ink, 2));
    p.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);
  }
}

namespace {

class Segment : public QToolButton {
 public:
  explicit Segment(const QString& text) {
    setText(text);
    setCheckable(true);
    setFocusPolicy(Qt::StrongFocus);
    setFixedHeight(32);
  }
  QSize sizeHint() const override { return {static_cast<int>(width_of(text(), Face::section)) + 40, 32}; }
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    const Theme& t = theme();
    p.setPen(QPen(isChecked() ? t.accent_ink : mix(t.text, t.base, 0.72), hasFocus() ? 2 : 1));
    p.setBrush(isChecked() ? t.accent_soft : t.base);
    const double in = hasFocus() ? 1 : 0.5;
    p.drawRoundedRect(QRectF(rect()).adjusted(in, in, -in, -in), 5, 5);
    paint_text(p, rect(), Qt::AlignCenter, text(), isChecked() ? Face::section : Face::body,
               isEnabled() ? t.text : mix(t.text, t.base, 0.55));
  }
};

}  // namespace

Segments::Segments(const QStringList& choices, const QString& name, QWidget* parent) : QWidget(parent) {
  setAccessibleName(name);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  auto* group = new QButtonGroup(this);
  for (const QString& choice : choices) {
    auto* button = new Segment(choice);
    group->addButton(button, static_cast<int>(buttons_.size()));
    row->addWidget(button);
    buttons_ << button;
  }
  // Tab reaches the one that is chosen, the arrows the others; by itself Qt lets it reach the first.
  connect(group, &QButtonGroup::idToggled, this,
          [this](int id, bool on) { buttons_[id]->setFocusPolicy(on ? Qt::StrongFocus : Qt::ClickFocus); });
  for (QToolButton* button : buttons_) button->setFocusPolicy(Qt::ClickFocus);
  buttons_.first()->setChecked(true);
  connect(group, &QButtonGroup::idToggled, this, [this](int id, bool on) {
    if (on) Q_EMIT changed(id);
  });
}

int Segments::current() const {
  for (int i = 0; i < buttons_.size(); ++i)
    if (buttons_[i]->isChecked()) return i;
  return 0;
}

void Segments::set_current(int choice) { buttons_[choice]->setChecked(true); }

}  // namespace disklathe::ui
