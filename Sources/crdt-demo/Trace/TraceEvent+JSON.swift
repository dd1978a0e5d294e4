extension TraceEvent {
  /// The event as a line of JSON, without its newline.
  ///
  /// Absent members are left out; those there are stand in the order of their
  /// declaration, so that equal events are equal lines.
  var line: String {
    var line = "{\"time\":\(time),\"kind\":\"\(kind.rawValue)\""
    for (name, number) in numbers {
      if let number { line += ",\"\(name)\":\(number)" }
    }
    for (name, text) in texts {
      if let text { line += ",\"\(name)\":\(text.jsonQuoted)" }
    }
    return line + "}"
  }

  /// The names of all members, in their order.
  static let names =
    ["time", "kind"] + numberPaths.map(\.name) + textPaths.map(\.name)

  static let numberPaths: [(name: String, path: any WritableKeyPath<Self, Int?> & Sendable)] = [
    ("replica", \.replica), ("peer", \.peer), ("message", \.message), ("bytes", \.bytes),
    ("events", \.events),
  ]

  static let textPaths: [(name: String, path: any WritableKeyPath<Self, String?> & Sendable)] = [
    ("digest", \.digest), ("value", \.value), ("detail", \.detail),
  ]

  private var numbers: [(String, Int?)] {
    [
      ("replica", replica), ("peer", peer), ("message", message), ("bytes", bytes),
      ("events", events),
    ]
  }

  private var texts: [(String, String?)] {
    [("digest", digest), ("value", value), ("detail", detail)]
  }

  /// The names of the members in which two events differ.
  func differences(from other: TraceEvent) -> [String] {
    var names: [String] = []
    if time != other.time { names.append("time") }
    if kind != other.kind { names.append("kind") }
    for (mine, others) in zip(numbers, other.numbers) where mine.1 != others.1 {
      names.append(mine.0)
    }
    for (mine, others) in zip(texts, other.texts) where mine.1 != others.1 {
      names.append(mine.0)
    }
    return names
  }
}
