// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/notes.h"

#include <fmt/format.h>

#include "app/cli/open_files.h"
#include "app/cli/sentences.h"

namespace disklathe::cli {

void print_note(const job::Note& note) {
  using Kind = job::Note::Kind;
  switch (note.kind) {
    case Kind::format_probed: {
      const Format* format = find_format(note.text);
      if (const std::string doubt = format ? format_doubt(note.subject, *format) : ""; !doubt.empty())
        print_warning(doubt);
      return;
    }
    case Kind::image_warning: return print_warning(fmt::format("'{}': {}", note.subject, note.text));
    case Kind::trailing_garbage:
      return print_warning(
          fmt::format("'{}': what follows the compressed data, from byte {} on, was left out: it is no {} data",
                      note.subject, note.offset, note.text));
    case Kind::target_mixed:
      return print_warning(
          fmt::format("'{}' now holds a part of the image and a part of what was there", note.subject));
    case Kind::serving: return;
  }
}

}  // namespace disklathe::cli
