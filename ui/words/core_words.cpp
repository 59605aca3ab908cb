// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/words/core_words.h"

#include <QRegularExpression>

#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

// Of all of it, with a capture where something is filled in.
QRegularExpression expression_of(const QString& words) {
  static const QRegularExpression place(QStringLiteral("\\\\%\\d"));
  QString pattern = QRegularExpression::escape(words);
  return QRegularExpression(QRegularExpression::anchoredPattern(pattern.replace(place, QStringLiteral("(.+)"))));
}

// A number as this language writes it; other things that the core fills in may be words of its own.
QString filled_in(const QString& text) {
  bool whole = false;
  const qulonglong number = text.toULongLong(&whole);
  if (whole) return Sizes::number(number);
  return CoreWords::translated(text.toStdString()).value_or(text);
}

}  // namespace

// Not here: where bytes break their format's rules. That is told best as the specification tells it.
const QStringList& CoreWords::known() {
  static const QStringList all{
      // What the image is, that this program does not do.
      QT_TR_NOOP("the image is encrypted"),
      QT_TR_NOOP("the disk is encrypted"),
      QT_TR_NOOP("the backing file's format %1"),
      QT_TR_NOOP("a differencing image, which stands on another"),
      QT_TR_NOOP("a differencing image, which has a parent"),
      QT_TR_NOOP("an undo image"),
      QT_TR_NOOP("qcow2 version %1"),
      QT_TR_NOOP("unknown incompatible feature: %1"),
      QT_TR_NOOP("it was compressed with a dictionary"),
      QT_TR_NOOP("unknown xz filters or options"),
      QT_TR_NOOP("what it holds is %1, which cannot be read from front to back only"),
      QT_TR_NOOP("a %1 image"),
      QT_TR_NOOP("a tar archive"),
      QT_TR_NOOP("gzip data"),
      QT_TR_NOOP("bzip2 data"),
      QT_TR_NOOP("xz data"),
      QT_TR_NOOP("Zstandard data"),
      QT_TR_NOOP("there is no snapshot with the id or name %1"),
      // How much memory a stream may ask for.
      QT_TR_NOOP("its dictionary needs %1 bytes of memory"),
      QT_TR_NOOP("its window needs more memory than is allowed"),
      // What does not fit.
      QT_TR_NOOP("the disk has %1 bytes, the target %2"),
      QT_TR_NOOP("it has %1 bytes, the image needs %2: %3 are missing"),
      QT_TR_NOOP("the image is larger than its %1 bytes"),
      QT_TR_NOOP("VHD disks have at most 2040 GiB"),
      QT_TR_NOOP("VHDX disks have at most 64 TiB"),
      QT_TR_NOOP("vdi disks have at most %1 bytes"),
      QT_TR_NOOP("vmdk disks have at most %1 bytes"),
      QT_TR_NOOP("a VMDK file ends at 2 TiB: it cannot hold more"),
      QT_TR_NOOP("fixed VHD disks have at least one byte"),
      QT_TR_NOOP("VHDX disks have at least one byte"),
      QT_TR_NOOP("vmdk disks have at least one byte"),
      QT_TR_NOOP("the refcount table would pass %1 bytes: a larger cluster_size is needed"),
      QT_TR_NOOP("option preallocation: not together with compression"),
      QT_TR_NOOP("option %1: '%2' is not %3"),
      QT_TR_NOOP("the area is larger than the device"),
      QT_TR_NOOP("no request of that size fits"),
      // What became of a file or device meanwhile.
      QT_TR_NOOP("the file became shorter"),
      QT_TR_NOOP("it ended early"),
      QT_TR_NOOP("it is empty"),
      QT_TR_NOOP("it ends in the middle of the compressed data"),
      QT_TR_NOOP("invalid compressed data"),
      QT_TR_NOOP("the device has become read-only"),
      QT_TR_NOOP("another computer has reserved it"),
      // Who stands between the window and the bytes.
      QT_TR_NOOP("another image names it, and nobody allowed it yet"),
      QT_TR_NOOP("it was not given"),
      QT_TR_NOOP("the worker ended at once"),
      QT_TR_NOOP("it said nothing"),
      QT_TR_NOOP("it ended with %1"),
      QT_TR_NOOP("it was ended by signal %1"),
      QT_TR_NOOP("it was ended for a system call that it may not make"),
      QT_TR_NOOP("there is no system bus here"),
      QT_TR_NOOP("disklathe-helper is not installed"),
      QT_TR_NOOP("disklathe-helper did not answer"),
      QT_TR_NOOP("disklathe-helper does not answer: %1"),
      // Warnings about an image that can be read.
      QT_TR_NOOP("the dirty bit is set: the image was not closed properly"),
      QT_TR_NOOP("the corrupt bit is set: the image is known to be damaged"),
      QT_TR_NOOP("the bitmaps are inconsistent: a program that does not know them wrote to the image"),
      QT_TR_NOOP("the bitmaps cannot be read: %1"),
      QT_TR_NOOP("one of the two headers is damaged; the other one is used"),
      QT_TR_NOOP("the first region table is damaged; the second one is used"),
      QT_TR_NOOP("it was not closed properly: what its log says counts"),
      QT_TR_NOOP("the footer at the end of the file is damaged or missing; its copy at the start is used"),
      QT_TR_NOOP("it belongs to the saved state of a virtual machine"),
      QT_TR_NOOP("it was not closed properly"),
      QT_TR_NOOP("it was not closed properly, or is in use"),
      QT_TR_NOOP("it needs a check: it was not closed properly"),
      QT_TR_NOOP("its header says that it is empty; its table is read"),
      QT_TR_NOOP("it is read by itself; whether the disk has more files its DiskDescriptor.xml tells"),
  };
  return all;
}

std::optional<QString> CoreWords::translated(const std::string& words) {
  static const auto expressions = [] {
    QList<QRegularExpression> made;
    for (const QString& one : known()) made << expression_of(one);
    return made;
  }();
  const QString said = QString::fromStdString(words);
  for (qsizetype i = 0; i < expressions.size(); ++i) {
    const auto match = expressions[i].match(said);
    if (!match.hasMatch()) continue;
    QString told = tr(known()[i].toUtf8().constData());
    for (int place = match.lastCapturedIndex(); place > 0; --place)
      told.replace(QLatin1Char('%') + QString::number(place), filled_in(match.captured(place)));
    return told;
  }
  return std::nullopt;
}

}  // namespace disklathe::ui
