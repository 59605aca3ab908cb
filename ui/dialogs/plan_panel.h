// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/registry.h"
#include "ui/controls/surfaces.h"
#include "ui/devices/device.h"
#include "ui/images/image_model.h"

class QLabel;
class QVBoxLayout;

namespace disklathe::ui {

class PlanBar;
class TextLabel;

// What a conversion is going to do, before it does: bytes to write, to zero and to skip, the size of requests, how it
// is zeroed and made durable, and whether there is room.
class PlanPanel : public Card {
  Q_OBJECT
 public:
  explicit PlanPanel(QWidget* parent = nullptr);
  struct Target {
    const Format* format = nullptr;
    FormatOptions options;
    bool compress = false, verify = false;
    QString path;      // of a file
    DevicePtr device;  // or this
  };
  void set(const OpenImage& image, const Target& target);
  bool has_room() const { return has_room_; }

 private:
  struct Row {
    QWidget* widget;
    TextLabel* name;
    TextLabel* amount;
  };
  Row add_part(QVBoxLayout& column, int mark, const QString& name);
  struct Fact {
    QWidget* widget;
    TextLabel* value;
    TextLabel* why;
  };
  Fact add_fact(QVBoxLayout& column, const QString& name);

  struct Amounts {
    bool known = false, at_most = false;  // of a device nobody knows what is zero before it is read
    uint64_t size = 0, write = 0, zero = 0, skip = 0;
  };
  static Amounts amounts_of(const OpenImage& image);
  void show_time(const OpenImage& image, const Target& target, const Amounts& of);
  void show_how(const Target& target);
  void show_room(const Target& target, const Amounts& of);

  TextLabel* time_;
  TextLabel* time_of_;
  TextLabel* time_why_;
  PlanBar* bar_;
  Rule* rule_;
  Row write_, zero_, skip_;
  Fact request_, zeroing_, durable_;
  TextLabel* warning_;
  QLabel* room_sign_;
  TextLabel* room_;
  bool has_room_ = true;
};

}  // namespace disklathe::ui
