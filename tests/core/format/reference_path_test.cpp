// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/reference_path.h"

#include <QtTest>

using disklathe::resolve_reference;

class ReferencePathTest : public QObject {
  Q_OBJECT
 private slots:
  void a_relative_name_starts_in_the_folder_of_the_image() {
    QCOMPARE(resolve_reference("a/b/top.qcow2", "base.qcow2"), "a/b/base.qcow2");
    QCOMPARE(resolve_reference("/top.qcow2", "../base.qcow2"), "/../base.qcow2");
  }
  void an_image_without_a_folder_leaves_it_as_it_is() { QCOMPARE(resolve_reference("top.qcow2", "base"), "base"); }
  void an_absolute_name_stays() { QCOMPARE(resolve_reference("a/top.qcow2", "/srv/base"), "/srv/base"); }
  void a_file_prefix_is_dropped() { QCOMPARE(resolve_reference("a/top", "file:base"), "a/base"); }
};

QTEST_GUILESS_MAIN(ReferencePathTest)
#include "reference_path_test.moc"
