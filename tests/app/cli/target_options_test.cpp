// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_cli
#include "app/cli/target_options.h"

#include <QtTest>

using namespace disklathe;
using namespace disklathe::cli;

namespace {

const Format example{.name = "example",
                     .options = {{.name = "cluster_size", .default_value = "64k", .help = "size", .values = {}},
                                 {.name = "lazy", .default_value = "off", .help = "later", .values = {"on", "off"}},
                                 {.name = "label", .default_value = "", .help = "name", .values = {}}}};

}  // namespace

class TargetOptionsTest : public QObject {
  Q_OBJECT
 private slots:
  void lists_are_split_at_commas_and_add_up() {
    const auto options = parse_target_options({"cluster_size=4k,lazy=on", "label=x"}, example);
    QVERIFY(options);
    QCOMPARE(options->format.size(), 3U);
    QCOMPARE(options->format.at("cluster_size"), "4k");
  }
  void a_doubled_comma_is_one_in_the_value() {
    QCOMPARE(parse_target_options({"label=a,,b"}, example)->format.at("label"), "a,b");
  }
  void a_name_alone_means_on() { QCOMPARE(parse_target_options({"lazy"}, example)->format.at("lazy"), "on"); }
  void what_all_formats_share_is_taken_out() {
    const auto options = parse_target_options({"size=1G,backing_file=base,backing_fmt=raw"}, example);
    QCOMPARE(options->size, 1U << 30);
    QCOMPARE(options->backing_file, "base");
    QCOMPARE(options->backing_format, "raw");
    QVERIFY(options->format.empty());
  }
  void an_unknown_name_is_refused_with_those_there_are() {
    const auto options = parse_target_options({"colour=red"}, example);
    QVERIFY(!options);
    QCOMPARE(options.error().kind, ErrorKind::invalid);
    QVERIFY(options.error().cause.find("cluster_size, lazy, label") != std::string::npos);
  }
  void a_value_that_is_no_choice_is_refused() { QVERIFY(!parse_target_options({"lazy=maybe"}, example)); }
  void a_size_must_be_one() { QVERIFY(!parse_target_options({"size=big"}, example)); }
  void help_is_noticed() { QVERIFY(parse_target_options({"help"}, example)->help); }
  void the_list_names_every_option() {
    const std::string text = list_options(example);
    for (const OptionInfo& option : example.options) QVERIFY(text.find(option.name) != std::string::npos);
  }
  void the_name_decides_the_format_when_nothing_else_does() {
    QCOMPARE((*choose_target_format("", "x.qcow2", true, "-O"))->name, "qcow2");
    QCOMPARE((*choose_target_format("", "x.bin", true, "-O"))->name, "raw");
    QCOMPARE((*choose_target_format("raw", "x.qcow2", true, "-O"))->name, "raw");
    QVERIFY(!choose_target_format("nonsense", "x", true, "-O"));
  }
};

QTEST_GUILESS_MAIN(TargetOptionsTest)
#include "target_options_test.moc"
