// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_cli
#include "app/cli/progress_line.h"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace disklathe;
using namespace disklathe::cli;

namespace {

constexpr uint64_t MiB = 1 << 20;

ProgressSample writing(double seconds, uint64_t position, uint64_t completed) {
  return {.seconds = seconds,
          .phase = Phase::write,
          .position = position,
          .total = 1000 * MiB,
          .moved = completed,
          .submitted = completed + MiB,
          .completed = completed,
          .zeroed = position - completed};
}

}  // namespace

class ProgressLineTest : public QObject {
  Q_OBJECT
 private slots:
  void position_never_passes_the_total() {
    Progress progress;
    progress.phase = Phase::write;
    progress.total = 100;
    progress.completed = 90;
    progress.skipped = 20;
    QCOMPARE(look_at(progress, 0).position, 100U);
  }
  void verifying_counts_from_the_start_again() {
    Progress progress;
    progress.total = 100;
    progress.completed = 100;
    progress.phase = Phase::verify;
    QCOMPARE(look_at(progress, 0).position, 0U);
    progress.phase = Phase::done;
    QCOMPARE(look_at(progress, 0).position, 100U);
  }
  void a_hundred_percent_means_all_of_it() {
    ProgressMeter meter;
    QCOMPARE(meter.read(writing(0, 1000 * MiB - 1, 0)).percent, 99.9);
    QCOMPARE(meter.read(writing(1, 1000 * MiB, 0)).percent, 100.0);
  }
  void an_empty_disk_divides_by_nothing() {
    ProgressMeter meter;
    QCOMPARE(meter.read({.phase = Phase::write}).percent, 0.0);
    QCOMPARE(meter.read({.seconds = 1, .phase = Phase::done}).percent, 100.0);
  }
  void the_rate_now_forgets_what_is_long_past() {
    ProgressMeter meter;
    meter.read(writing(0, 0, 0));
    meter.read(writing(10, 500 * MiB, 500 * MiB));
    for (double t = 10.5; t < 15; t += 0.5) meter.read(writing(t, 500 * MiB, 500 * MiB));
    const ProgressReading reading = meter.read(writing(15, 510 * MiB, 510 * MiB));
    QVERIFY(reading.rate_now < 6.0 * MiB && reading.rate_now > 3.0 * MiB);
    QCOMPARE(reading.rate_average, 34.0 * MiB);
  }
  void zeroes_are_not_counted_as_speed() {
    ProgressMeter meter;
    meter.read(writing(0, 0, 0));
    QCOMPARE(meter.read(writing(2, 900 * MiB, 100 * MiB)).rate_now, 50.0 * MiB);
  }
  void time_left_is_told_once_it_is_more_than_a_guess() {
    ProgressMeter meter;
    meter.read(writing(0, 0, 0));
    QVERIFY(!meter.read(writing(0.5, 100 * MiB, 100 * MiB)).seconds_left);
    QCOMPARE(meter.read(writing(2, 200 * MiB, 200 * MiB)).seconds_left.value(), 8.0);
  }
  void the_line_says_phase_percent_rates_time_left_and_zeroes() {
    ProgressMeter meter;
    meter.read(writing(0, 0, 0));
    QCOMPARE(text_of(meter.read(writing(2, 250 * MiB, 200 * MiB)), "verifying", 200),
             "writing  25.0%, 100 MiB/s (average 100 MiB/s), 0:06 left, 50 MiB zero");
  }
  void the_average_in_the_end_is_that_of_the_whole_job() {
    ProgressMeter meter;
    meter.read(writing(1, 250 * MiB, 200 * MiB));
    const ProgressReading end =
        meter.read({.seconds = 4, .phase = Phase::done, .moved = 400 * MiB, .completed = 400 * MiB});
    QCOMPARE(end.rate_average, 100.0 * MiB);
  }
  void the_line_never_wraps() {
    ProgressMeter meter;
    QCOMPARE(text_of(meter.read(writing(0, 0, 0)), "verifying", 20).size(), 20U);
  }
  void silence_is_told_and_ends_with_the_next_byte() {
    ProgressMeter meter;
    meter.read(writing(0, 250 * MiB, 200 * MiB));
    QVERIFY(!meter.read(writing(4.9, 250 * MiB, 200 * MiB)).stalled);
    const ProgressReading reading = meter.read(writing(12, 250 * MiB, 200 * MiB));
    QCOMPARE(reading.stalled.value(), 12.0);
    QVERIFY(text_of(reading, "verifying", 200).starts_with("writing  25.0%, no answer for 0:12 (average"));
    QCOMPARE(json_of(reading)["stalled_seconds"].get<double>(), 12.0);
    QVERIFY(!meter.read(writing(13, 251 * MiB, 200 * MiB)).stalled);
  }
  void a_pipe_that_gives_nothing_is_told_from_a_target_that_takes_nothing() {
    Progress progress;
    progress.phase = Phase::write;
    progress.total_known = false;
    progress.submitted = progress.completed = 3 * MiB;
    progress.waits_for_input = true;
    ProgressMeter meter;
    meter.read(look_at(progress, 0));
    const ProgressReading reading = meter.read(look_at(progress, 6));
    QCOMPARE(text_of(reading, "verifying", 200), "writing 3 MiB, no input for 0:06 (average -), 0 B zero");
    QCOMPARE(json_of(reading)["stalled_for"].get<std::string>(), "input");
    progress.submitted = 4 * MiB;
    const ProgressReading both = meter.read(look_at(progress, 7));
    QVERIFY(text_of(both, "verifying", 200).contains("no answer for 0:07"));
    QCOMPARE(json_of(both)["stalled_for"].get<std::string>(), "answer");
  }
  void a_long_flush_tells_how_long() {
    ProgressMeter meter;
    meter.read({.seconds = 1, .phase = Phase::flush});
    QCOMPARE(text_of(meter.read({.seconds = 62, .phase = Phase::flush}), "verifying", 200), "flushing, for 1:01");
  }
  void opening_is_no_silence_but_waiting_for_a_pipe_is() {
    ProgressMeter meter;
    meter.read({.seconds = 0, .phase = Phase::prepare});
    QVERIFY(!meter.read({.seconds = 60, .phase = Phase::prepare}).stalled);
    QCOMPARE(text_of(meter.read({.seconds = 61, .phase = Phase::prepare, .waits_for_input = true}), "verifying", 200),
             "opening, no input for 1:01");
  }
  void of_a_stream_whose_size_nobody_knows_the_percentage_is_of_the_compressed_input() {
    ProgressSample sample = writing(0, 700 * MiB, 600 * MiB);
    sample.total = 0;
    sample.total_known = false;
    sample.input = 25 * MiB;
    sample.input_total = 100 * MiB;
    ProgressMeter meter;
    const ProgressReading reading = meter.read(sample);
    QVERIFY(text_of(reading, "verifying", 200).starts_with("writing  25.0% of compressed input, "));
    const auto json = json_of(reading);
    QCOMPARE(json["percent"].get<double>(), 25.0);
    QCOMPARE(json["percent_of"].get<std::string>(), "compressed input");
    QCOMPARE(json["input"].get<uint64_t>(), 25 * MiB);
    QVERIFY(json["total"].is_null());
    // All of it taken is not all of it written.
    sample.input = sample.input_total;
    QCOMPARE(meter.read(sample).percent, 99.9);
    sample.total_known = true;
    sample.total = 1000 * MiB;
    QCOMPARE(json_of(meter.read(sample))["percent_of"].get<std::string>(), "disk");
    QCOMPARE(meter.read(sample).percent, 70.0);
  }
  void json_keeps_apart_what_was_submitted_completed_flushed_and_verified() {
    Progress progress;
    progress.phase = Phase::write;
    progress.total = 100;
    progress.submitted = 50;
    progress.completed = 40;
    progress.flushed = 30;
    progress.verified = 20;
    const auto json = json_of({.sample = look_at(progress, 0)});
    QCOMPARE(json["submitted"].get<int>(), 50);
    QCOMPARE(json["completed"].get<int>(), 40);
    QCOMPARE(json["flushed"].get<int>(), 30);
    QCOMPARE(json["verified"].get<int>(), 20);
  }
  void json_has_numbers_in_bytes() {
    ProgressMeter meter;
    const auto json = json_of(meter.read(writing(0, 3 * MiB, MiB)));
    QCOMPARE(json["phase"].get<std::string>(), "write");
    QCOMPARE(json["position"].get<uint64_t>(), 3 * MiB);
    QCOMPARE(json["completed"].get<uint64_t>(), MiB);
    QCOMPARE(json["zeroed"].get<uint64_t>(), 2 * MiB);
    QVERIFY(!json.contains("seconds_left"));
  }
  void the_summary_tells_sizes_and_whether_it_was_verified() {
    const ProgressSample end{.seconds = 2, .total = 10 * MiB, .completed = 4 * MiB, .zeroed = 6 * MiB};
    QCOMPARE(summary_of(end, true), "10 MiB in 2.00 s: 4 MiB written at 2 MiB/s, 6 MiB zero, verified");
  }
};

QTEST_GUILESS_MAIN(ProgressLineTest)
#include "progress_line_test.moc"
