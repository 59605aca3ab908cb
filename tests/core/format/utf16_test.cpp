// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/utf16.h"

#include <QtTest>

using namespace disklathe;

class Utf16Test : public QObject {
  Q_OBJECT

  static std::string little(std::u16string_view text) {
    return utf8_of_utf16(std::as_bytes(std::span(text)), std::endian::native);
  }

 private slots:
  void everyLengthOfUtf8() { QCOMPARE(little(u"aé€😀"), "aé€😀"); }
  void theOtherByteOrder() {
    const std::array<std::byte, 4> text{std::byte{0}, std::byte{'a'}, std::byte{0x20}, std::byte{0xac}};
    QCOMPARE(utf8_of_utf16(text, std::endian::big), "a€");
  }
  void endsAtTheFirstNul() { QCOMPARE(little(std::u16string_view(u"a\0b", 3)), "a"); }
  void halvesOfCharactersAreReplaced() {
    const char16_t alone[] = {u'a', 0xd83d, u'b', 0xde00, 0xd83d};
    QCOMPARE(little(std::u16string_view(alone, 5)),
             "a\xef\xbf\xbd"
             "b\xef\xbf\xbd\xef\xbf\xbd");
  }
  void anOddByteIsLeftOut() {
    const std::array<std::byte, 3> text{std::byte{'a'}, std::byte{0}, std::byte{'b'}};
    QCOMPARE(utf8_of_utf16(text, std::endian::little), "a");
  }
  void windowsPathsBecomeOursWhereTheyCan() {
    QCOMPARE(path_of_windows_path("..\\base\\disk.vhd"), "../base/disk.vhd");
    QCOMPARE(path_of_windows_path("C:\\disks\\a.vhd"), "C:\\disks\\a.vhd");
    QCOMPARE(path_of_windows_path("\\\\server\\share\\a.vhd"), "\\\\server\\share\\a.vhd");
  }
};

QTEST_GUILESS_MAIN(Utf16Test)
#include "utf16_test.moc"
