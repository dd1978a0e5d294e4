package import CRDTKit
import CRDTStoreTesting

/// The names, values and schemas of documents in schedules.
package enum DocumentSamples {
  /// Names whose order is not that of the replicas' numbers.
  package static let replicas = [5, 1, UInt64.max, 3, 0].map { ReplicaID($0) }

  /// Every rule there is, and a rule for deletions each.
  package static let schema: Schema = {
    let fields: [FieldPath: Schema.FieldRule] = [
      "first": .firstWriterWins, "most": .max, "least": .min, "body": .manual, "likes": .counter,
      "tags": .set, "server": .preferring([replicas[0]]),
      "client": .preferringOthers(than: [replicas[0], replicas[1]]), "a.body": .manual,
      "a.tags": .set, "a.*": .max, "scores.*": .counter,
    ]
    return Schema(collections: [
      "c": Schema.Collection(fields: fields),
      "d": Schema.Collection(fields: fields, deletion: .deleteWins),
      "e": Schema.Collection(fields: fields, deletion: .lastWriterWins),
    ])
  }()

  /// An older one, which knows of fewer rules and has others.
  package static let olderSchema: Schema = {
    let fields: [FieldPath: Schema.FieldRule] = [
      "title": .manual, "first": .max, "body": .firstWriterWins, "a": .manual,
      "a.x": .set, "server": .preferringOthers(than: [replicas[0]]), "most": .counter,
      "likes": .manual, "tags": .manual,
    ]
    return Schema(collections: [
      "c": Schema.Collection(fields: fields, deletion: .lastWriterWins),
      "e": Schema.Collection(fields: fields),
    ])
  }()

  package static let records: [DocumentRecord] = [
    DocumentRecord("r", in: "c"), DocumentRecord("\u{E9}", in: "c"), DocumentRecord("r", in: "d"),
    DocumentRecord("r", in: "e"),
  ]

  package static let paths: [[String]] = [
    ["body"], ["title"], ["a"], ["a", "x"], ["tags"], ["first"], ["most"], ["least"], ["server"],
    ["client"], ["a", "body"], ["a", "tags"], ["a", "\u{E9}"], ["a", "x", "y"], ["body", "x"],
    ["tags", "x"], ["note"],
  ]

  package static let counterPaths: [[String]] = [["likes"], ["scores", "s"], ["scores", "t"]]

  static let setPaths: [[String]] = [["tags"], ["tags"], ["a", "tags"], ["title"]]

  static func record(using random: inout SeededGenerator) -> DocumentRecord {
    let isFirst = Int.random(in: 0..<4, using: &random) > 0
    let place = isFirst ? 0 : Int.random(in: 0..<records.count, using: &random)
    let record = records[place]
    guard record.name == "\u{E9}", Bool.random(using: &random) else { return record }
    return DocumentRecord("e\u{301}", in: record.collection)
  }

  static func path(using random: inout SeededGenerator) -> [String] {
    if Int.random(in: 0..<6, using: &random) == 0 { return counterPath(using: &random) }
    // Few paths most of the time, so that replicas meet.
    let count = Int.random(in: 0..<5, using: &random) < 3 ? 4 : paths.count
    let path = paths.prefix(count).randomElement(using: &random) ?? []
    guard path.last == "\u{E9}", Bool.random(using: &random) else { return path }
    return path.dropLast() + ["e\u{301}"]
  }

  static func counterPath(using random: inout SeededGenerator) -> [String] {
    counterPaths.randomElement(using: &random) ?? []
  }

  static func setPath(using random: inout SeededGenerator) -> [String] {
    setPaths.randomElement(using: &random) ?? []
  }

  static func element(using random: inout SeededGenerator) -> Document.Value {
    ["p", "q", 1, 1.0, ["p", 1]].randomElement(using: &random) ?? 0
  }

  static func value(using random: inout SeededGenerator) -> Document.Value {
    values.randomElement(using: &random) ?? nil
  }

  /// Values of every kind, some of them alike.
  package static let values: [Document.Value] = [
    nil, true, 0, 1, 2, 1.0, -0.0, .double(.nan), "one", "two", "\u{E9}", "e\u{301}",
    .bytes([1, 2]), .timestamp(1), .timestamp(.nan), [], ["p", "q"], [["x": 1], nil], [:],
    ["x": 1], ["x": 2, "y": "one"], ["x": ["y": 3]], ["tags": ["p"], "body": nil],
  ]
}
