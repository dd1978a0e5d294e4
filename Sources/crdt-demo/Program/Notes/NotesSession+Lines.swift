import CRDTKit
import CRDTStore
import Toolkit

extension NotesSession {
  /// Writes a line for each note, in columns.
  mutating func write(_ notes: [Note], isLong: Bool = false) {
    let conflicts = Set(store.conflicts(of: Note.self).map(\.record))
    let width = notes.map(\.id.shownAsText.count).max() ?? 0
    let titleWidth = min(notes.map { $0.title.shownAsText.count }.max() ?? 0, 40)
    let likes = { (note: Note) in note.likes == 0 ? "" : "♥\(note.likes.grouped)" }
    let likesWidth = notes.map { likes($0).count }.max() ?? 0
    let now = SystemClock().milliseconds
    let prefixes = Self.shortestPrefixes(store.all(Note.self).map(\.id))
    for note in notes {
      let marks = (note.isPinned ? "*" : " ") + (conflicts.contains(note.id) ? "!" : " ")
      let title = note.title.shownAsText
      var columns = [
        id(note.id, typed: prefixes[note.id] ?? 0)
          .padded(by: width - note.id.shownAsText.count), marks,
        title.padded(by: titleWidth - title.count),
        likes(note).padded(to: likesWidth),
      ]
      if isLong { columns.append(note.updated.age(at: now).padded(to: 10)) }
      columns.append(note.tags.sorted().map { "#" + $0.shownAsText }.joined(separator: " "))
      let line = columns.joined(separator: " ")
      console.write(String(line.reversed().drop { $0 == " " }.reversed()) + "\n")
    }
  }

  /// A note on a line of its own, without columns.
  func line(_ note: Note, hasConflict: Bool) -> String {
    var parts = [note.id.shownAsText, note.isPinned ? "*" : "", hasConflict ? "!" : ""]
    parts += [note.title.shownAsText, note.likes == 0 ? "" : "♥\(note.likes.grouped)"]
    parts += note.tags.sorted().map { "#" + $0.shownAsText }
    return parts.filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// An identifier, of which what has to be typed stands out.
  private func id(_ id: String, typed count: Int) -> String {
    // What another program wrote may be anything.
    guard Note.isValid(id: id) else { return id.shownAsText }
    return console.styled(.bold, String(id.prefix(count)))
      + (count < id.count ? console.styled(.dim, String(id.dropFirst(count))) : "")
  }

  /// How much has to be typed of each identifier at least.
  static func shortestPrefixes(_ ids: [String]) -> [String: Int] {
    let sorted = ids.sorted()
    var counts: [String: Int] = [:]
    for (left, right) in zip(sorted, sorted.dropFirst()) {
      let common = zip(left, right).prefix { $0.0 == $0.1 }.count
      counts[left] = max(counts[left] ?? 0, common + 1)
      counts[right] = common + 1
    }
    if sorted.count == 1 { counts[sorted[0]] = 1 }
    return counts
  }
}

extension String {
  /// The text on a line of its own: what a terminal would act on is escaped.
  var shownAsText: String {
    hasHidden ? jsonQuoted : self
  }

  /// The text on lines of its own.
  var shownAsLines: String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).shownAsText }.joined(separator: "\n")
  }

  func padded(by count: Int) -> String { self + String(repeating: " ", count: max(count, 0)) }

  func padded(to width: Int) -> String { padded(by: width - count) }
}
