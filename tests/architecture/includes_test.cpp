// SPDX-License-Identifier: GPL-3.0-or-later
//
// Includes go one way. This test holds the arrows of docs/architecture.md: it walks every #include in core/, app/, ui/
// and helper/ and names each one that points back.
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

using namespace Qt::StringLiterals;

namespace {

// Who may include whom. A folder may always include itself.
struct Layer {
  QLatin1StringView folder;
  std::vector<QLatin1StringView> below;
};

const std::array layers{
    Layer{"core/base"_L1, {}},
    Layer{"core/io"_L1, {"core/base"_L1}},
    Layer{"core/device"_L1, {"core/io"_L1, "core/base"_L1}},
    Layer{"core/zero"_L1, {"core/device"_L1, "core/io"_L1, "core/base"_L1}},
    Layer{"core/format"_L1, {"core/device"_L1, "core/io"_L1, "core/base"_L1}},
    Layer{"core/stream"_L1, {"core/device"_L1, "core/io"_L1, "core/base"_L1}},
    Layer{"core/http"_L1, {"core/stream"_L1, "core/device"_L1, "core/io"_L1, "core/base"_L1}},
    Layer{"core/nbd"_L1, {"core/format"_L1, "core/zero"_L1, "core/device"_L1, "core/io"_L1, "core/base"_L1}},
    Layer{"core/engine"_L1,
          {"core/nbd"_L1, "core/stream"_L1, "core/format"_L1, "core/zero"_L1, "core/device"_L1, "core/io"_L1,
           "core/base"_L1}},
    Layer{"core/job"_L1,
          {"core/engine"_L1, "core/nbd"_L1, "core/stream"_L1, "core/format"_L1, "core/zero"_L1, "core/device"_L1,
           "core/io"_L1, "core/base"_L1}},
    Layer{"helper/client"_L1, {"core/job"_L1, "core/device"_L1, "core/base"_L1}},
    Layer{"helper"_L1, {"core/job"_L1, "core/device"_L1, "core/base"_L1}},
    Layer{"ui"_L1, {"helper/client"_L1, "core"_L1}},
    Layer{"app"_L1, {"ui"_L1, "core"_L1}},
};

bool isIn(const QString& path, QLatin1StringView folder) {
  return path.size() > folder.size() && path.startsWith(folder) && path[folder.size()] == u'/';
}

const Layer* layerOf(const QString& path) {
  const auto found = std::ranges::find_if(layers, [&](const Layer& layer) { return isIn(path, layer.folder); });
  return found == layers.end() ? nullptr : &*found;
}

// "core/format/qcow2/reader.cpp" -> "qcow2"; empty for what all formats share.
QString formatOf(const QString& path) {
  const auto parts = path.split(u'/');
  return isIn(path, "core/format"_L1) && parts.size() > 3 ? parts[2] : QString();
}

// Why `file` must not have #include "included" (or <included>); empty when it may.
QString objection(const QString& file, const QString& included, bool angled) {
  const bool qtFree = isIn(file, "core"_L1) || isIn(file, "app/cli"_L1) || file == "app/main_cli.cpp"_L1;
  if (angled) {
    static const QRegularExpression qt(u"^(Q|K[A-Z]|Qt[A-Z0-9]|q[a-z]+\\.h$)"_s);
    return qtFree && qt.match(included).hasMatch() ? u"no Qt here"_s : QString();
  }
  if (included.endsWith(".moc"_L1) || (!qtFree && included.startsWith("ui_"_L1))) return {};
  const Layer* target = layerOf(included);
  if (!target) return u"write the path from the top of the sources"_s;
  const Layer* own = layerOf(file);
  if (!own) return u"this folder is not in the order of layers"_s;
  const bool below =
      own == target || std::ranges::any_of(own->below, [&](auto folder) { return isIn(included, folder); });
  if (!below) return u"%1 must not know %2"_s.arg(own->folder, target->folder);
  if (isIn(file, "core/format"_L1) && included == "core/io/ring.h"_L1) return u"a format moves no bytes"_s;
  if (const auto format = formatOf(file), other = formatOf(included);
      !format.isEmpty() && !other.isEmpty() && format != other)
    return u"format %1 must not know format %2"_s.arg(format, other);
  return {};
}

QStringList violations(const QString& top) {
  static const QRegularExpression include(u"^\\s*#\\s*include\\s*([\"<])([^\">]+)[\">]"_s);
  QStringList found;
  for (const auto part : {"core"_L1, "app"_L1, "ui"_L1, "helper"_L1}) {
    QDirIterator files(top + u'/' + part, {u"*.h"_s, u"*.cpp"_s}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      QFile file(files.next());
      if (!file.open(QIODevice::ReadOnly)) return {u"cannot read "_s + file.fileName()};
      const QString name = file.fileName().mid(top.size() + 1);
      for (int line = 1; !file.atEnd(); ++line) {
        const auto match = include.match(QString::fromUtf8(file.readLine()));
        if (!match.hasMatch()) continue;
        const auto why = objection(name, match.captured(2), match.captured(1) == "<"_L1);
        if (!why.isEmpty()) found << u"%1:%2: %3: %4"_s.arg(name).arg(line).arg(match.captured(2), why);
      }
    }
  }
  return found;
}

}  // namespace

class IncludesTest : public QObject {
  Q_OBJECT

 private slots:
  void pointOneWay() {
    const auto found = violations(QStringLiteral(DISKLATHE_SOURCE_DIR));
    QVERIFY2(found.isEmpty(), qPrintable(u'\n' + found.join(u'\n')));
  }

  void arrowsThatPointBackAreSeen_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("line");
    QTest::addColumn<bool>("allowed");
    const auto row = [](const char* file, const char* line, bool allowed) {
      QTest::addRow("%s: %s", file, line) << QString::fromLatin1(file) << QString::fromLatin1(line) << allowed;
    };
    row("core/io/ring.cpp", "#include \"core/base/error.h\"", true);
    row("core/base/error.cpp", "#include \"core/io/ring.h\"", false);
    row("core/format/qcow2/reader.cpp", "#include \"core/format/extent.h\"", true);
    row("core/format/qcow2/reader.cpp", "#include \"core/format/qcow2/header.h\"", true);
    row("core/format/qcow2/reader.cpp", "#include \"core/format/vmdk/header.h\"", false);
    row("core/format/qcow2/reader.cpp", "#include \"core/engine/copy.h\"", false);
    row("core/format/qcow2/reader.cpp", "#include \"core/io/ring.h\"", false);
    row("core/format/qcow2/reader.cpp", "  #  include \"core/nbd/server.h\"", false);
    row("core/format/registry.cpp", "#include \"core/format/qcow2/reader.h\"", true);
    row("core/format/registry.cpp", "#include \"registry.h\"", false);
    row("core/engine/copy.cpp", "#include \"core/job/spec.h\"", false);
    row("core/job/spec.cpp", "#include \"core/engine/copy.h\"", true);
    row("core/job/spec.cpp", "#include <QString>", false);
    row("core/job/spec.cpp", "#include <string>", true);
    row("core/new/thing.cpp", "#include \"core/base/error.h\"", false);
    row("app/cli/info.cpp", "#include \"core/format/registry.h\"", true);
    row("app/cli/info.cpp", "#include <QtCore/QString>", false);
    row("ui/window.cpp", "#include \"core/engine/copy.h\"", true);
    row("ui/window.cpp", "#include <QWidget>", true);
    row("ui/window.cpp", "#include \"app/cli/info.h\"", false);
    row("helper/open_device.cpp", "#include \"core/device/limits.h\"", true);
    row("helper/open_device.cpp", "#include \"core/format/registry.h\"", false);
  }

  void arrowsThatPointBackAreSeen() {
    QFETCH(const QString, file);
    QFETCH(const QString, line);
    QFETCH(const bool, allowed);
    const QTemporaryDir top;
    QVERIFY(QDir(top.path()).mkpath(QFileInfo(file).path()));
    QFile out(top.filePath(file));
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write("\n" + line.toUtf8() + "\n");
    out.close();
    QCOMPARE(violations(top.path()).size(), allowed ? 0 : 1);
  }
};

QTEST_GUILESS_MAIN(IncludesTest)
#include "includes_test.moc"
