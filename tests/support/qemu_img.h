// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonDocument>
#include <QJsonObject>
#include <QString>
#include <string>

#include "core/format/registry.h"
#include "tests/support/program.h"

// For a call that returns what went wrong as text.
#define FINE(call)                                          \
  do {                                                      \
    const std::string what_is_wrong = (call);               \
    QVERIFY2(what_is_wrong.empty(), what_is_wrong.c_str()); \
  } while (false)

namespace disklathe::test {

// "a=1,b=2", as after -o.
inline FormatOptions options_of(const QString& list) {
  FormatOptions options;
  for (const QString& option : list.split(',', Qt::SkipEmptyParts))
    options[option.section('=', 0, 0).toStdString()] = option.section('=', 1).toStdString();
  return options;
}

// qemu-img's view of a qcow2 image, without what belongs to its file.
inline QJsonObject qemu_img_info(const std::string& path) {
  const auto result = run_program({"qemu-img", "info", "--output=json", "-f", "qcow2", path});
  QJsonObject object = QJsonDocument::fromJson(QByteArray::fromStdString(result.output)).object();
  for (const char* key : {"filename", "actual-size", "children", "full-backing-filename"}) object.remove(key);
  return object;
}

}  // namespace disklathe::test
