// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_cli
#include "app/cli/command_line.h"

#include <QtTest>
#include <algorithm>
#include <initializer_list>

using disklathe::cli::CommandLine;

namespace {

// A verb with one option of each kind.
struct Example {
  std::string format, output, progress;
  std::vector<std::string> options, files;
  std::optional<uint64_t> size;
  unsigned level = 0;
  bool quiet = false;
  CommandLine line{"example", "help\n"};

  Example() {
    line.text("-f,--format", format);
    line.choice("--output", output, {"human", "json"});
    line.optional_choice("-p,--progress", progress, {"line", "json"});
    line.texts("-o", options);
    line.size("-s,--size", size);
    line.number("--level", level, 1, 12);
    line.flag("-q,--quiet", quiet);
    line.words(files, 1, 2, "one or two files");
  }

  std::optional<int> parse(std::initializer_list<const char*> words) {
    std::vector<char*> pointers;
    for (const char* word : words) pointers.push_back(const_cast<char*>(word));
    return line.parse(pointers);
  }
};

}  // namespace

class CommandLineTest : public QObject {
  Q_OBJECT
 private slots:
  void options_stand_anywhere_and_short_ones_together() {
    Example example;
    QVERIFY(!example.parse({"a", "-qf", "raw", "b", "--output=json", "-s64k"}));
    QVERIFY(example.quiet);
    QCOMPARE(example.format, "raw");
    QCOMPARE(example.output, "json");
    QCOMPARE(example.size, 65536U);
    QCOMPARE(example.files, (std::vector<std::string>{"a", "b"}));
  }
  void after_two_dashes_all_is_a_file() {
    Example example;
    QVERIFY(!example.parse({"--", "-q"}));
    QCOMPARE(example.files, (std::vector<std::string>{"-q"}));
    QVERIFY(!example.quiet);
  }
  void a_repeatable_option_collects_and_leaves_the_files_alone() {
    Example example;
    QVERIFY(!example.parse({"-o", "a=1", "-o", "b=2", "file"}));
    QCOMPARE(example.options, (std::vector<std::string>{"a=1", "b=2"}));
    QCOMPARE(example.files, (std::vector<std::string>{"file"}));
  }
  void the_last_of_a_single_option_counts() {
    Example example;
    QVERIFY(!example.parse({"-f", "raw", "-f", "qcow2", "file"}));
    QCOMPARE(example.format, "qcow2");
  }
  void a_choice_may_be_left_to_its_default() {
    Example plain, json;
    QVERIFY(!plain.parse({"-p", "file"}));
    QCOMPARE(plain.progress, "line");
    QVERIFY(!json.parse({"--progress=json", "file"}));
    QCOMPARE(json.progress, "json");
  }
  void what_makes_no_sense_is_exit_code_2() {
    const std::initializer_list<std::initializer_list<const char*>> wrong = {{},
                                                                             {"a", "b", "c"},
                                                                             {"--bogus", "a"},
                                                                             {"-f"},
                                                                             {"a", "--output=xml"},
                                                                             {"a", "-s", "64q"},
                                                                             {"a", "--level", "13"},
                                                                             {"a", "--level", "9x"},
                                                                             {"a", "--progress=html"}};
    for (const auto& words : wrong) {
      Example example;
      QCOMPARE(example.parse(words), 2);
    }
  }
  void help_is_no_failure() {
    Example example;
    QCOMPARE(example.parse({"--help"}), 0);
  }
};

QTEST_GUILESS_MAIN(CommandLineTest)
#include "command_line_test.moc"
