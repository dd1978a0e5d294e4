import CRDTKit

/// A text or a list that a replica holds, as a trace has it: its beginning, and who wrote it.
struct WrittenText: Equatable, Sendable {
  /// Some consecutive scalars by one writer.
  struct Part: Equatable, Sendable {
    var replica: ReplicaID
    var count: Int
  }

  /// How many scalars of a text a trace has at most.
  static let scalarsMax = 1_000

  var text: String
  var parts: [Part]

  /// The beginning of a text.
  init(_ whole: ReplicatedText) {
    let end = whole.index(Self.scalarsMax, in: .unicodeScalars)
    text = whole[whole.startIndex..<end]
    parts = whole.authors(in: whole.startIndex..<end).map { part in
      let places = [part.range.lowerBound, part.range.upperBound].map {
        whole.offset(of: $0, in: .unicodeScalars)
      }
      return Part(replica: part.replica, count: places[1] - places[0])
    }
    if end < whole.endIndex { text += "…" }
  }

  /// The beginning of some lines, each by one writer.
  init(lines: some Sequence<(text: String, author: ReplicaID)>) {
    (text, parts) = ("", [])
    var left = Self.scalarsMax
    for line in lines {
      guard left > 0 else {
        text += "…"
        return
      }
      let scalars = (line.text + "\n").unicodeScalars.prefix(left)
      left -= scalars.count
      text += String(scalars)
      if let last = parts.indices.last, parts[last].replica == line.author {
        parts[last].count += scalars.count
      } else {
        parts.append(Part(replica: line.author, count: scalars.count))
      }
    }
  }
}

/// Who wrote the parts of a text, as a trace says it: `0:12 2:5 -:3` are twelve scalars of
/// the replica at place 0, five of that at place 2, and three of an unknown one.
struct TextAuthors: Equatable {
  struct Part: Equatable {
    /// `nil` where nobody knows.
    var place: Int?
    var count: Int
  }

  var parts: [Part]
}

extension TextAuthors: LosslessStringConvertible {
  init?(_ description: String) {
    parts = []
    for word in description.split(separator: " ", omittingEmptySubsequences: false) {
      let numbers = word.split(separator: ":", omittingEmptySubsequences: false)
      guard numbers.count == 2, let count = Int(numbers[1]), count > 0 else { return nil }
      let place = Int(numbers[0])
      guard numbers[0] == "-" || place.map({ 0..<TraceEvent.maximumReplicas ~= $0 }) == true
      else { return nil }
      parts.append(Part(place: place, count: count))
    }
  }

  var description: String {
    parts.map { "\($0.place.map(String.init) ?? "-"):\($0.count)" }.joined(separator: " ")
  }
}
