import CRDTKit
import CRDTStoreTesting

/// What the commits of a store are: the n-th commit of a seed is always the same,
/// so that whoever finds a store can tell which commits are in it, and that there
/// is nothing else.
///
/// Each commit writes its number, counts, and overwrites or deletes records that
/// each have their turn. So the last ``window`` commits decide what the document
/// holds, beside the number and the count.
struct Workload {
  static let numbers = "numbers"
  static let ring = "ring"
  static let notes = "notes"
  static let last = "last"
  static let ringSize: UInt64 = 32
  static let noteCount: UInt64 = 16
  /// How many commits back a value may have been written that is still there.
  static let window: UInt64 = 32

  static let schema = Schema(collections: [
    numbers: Schema.Collection(fields: ["count": .counter])
  ])

  /// The fields of records, by collection and record.
  typealias Contents = [String: [String: [String: Document.Value]]]

  /// One change of a commit.
  struct Change {
    var collection: String
    var record: String
    /// The fields that are written; `nil` where the record is deleted.
    var fields: [String: Document.Value]?
  }

  let seed: UInt64

  /// What a commit changes, in order, beside the number and the count.
  func changes(of number: UInt64) -> [Change] {
    var random = SeededGenerator(seed: seed, stream: number)
    var changes: [Change] = []
    for _ in 0..<random.next() % 3 {
      let note = "note \(random.next() % Self.noteCount)"
      changes.append(
        Change(collection: Self.notes, record: note, fields: ["c": text(number, &random)]))
    }
    let note = "note \(number &* 7 % Self.noteCount)"
    changes.append(
      Change(collection: Self.notes, record: note, fields: ["c": text(number, &random)]))
    let fields = ["a": text(number, &random), "b": Document.Value.int(Int64(bitPattern: number))]
    changes.append(
      Change(
        collection: Self.ring, record: "place \(number % Self.ringSize)",
        fields: random.below(8) == 0 ? nil : fields))
    return changes
  }

  /// A text that names the commit: most are short, a few span pages of a disk.
  private func text(_ number: UInt64, _ random: inout SeededGenerator) -> Document.Value {
    let size = random.below(64) == 0 ? random.next() % 6_000 : random.next() % 120
    let letter = Character(UnicodeScalar(UInt8(97 + random.next() % 26)))
    return .string("\(number):" + String(repeating: letter, count: Int(size)))
  }

  /// Makes the changes of a commit.
  func make(_ number: UInt64, in edit: inout Document.Editor) {
    edit.set("number", of: Self.last, in: Self.numbers, to: .int(Int64(number)))
    // The sum is the number of the commit, which is far from the bounds.
    try? edit.increment("count", of: Self.last, in: Self.numbers)
    for change in changes(of: number) {
      if let fields = change.fields {
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
          edit.set(FieldPath([name]), of: change.record, in: change.collection, to: value)
        }
      } else {
        edit.delete(change.record, in: change.collection)
      }
    }
  }
}

extension Workload {
  /// What the document holds after a commit.
  func contents(after number: UInt64) -> Contents {
    guard number > 0 else { return [:] }
    var contents: Contents = [:]
    for earlier in max(Self.window, number) - Self.window + 1...number {
      for change in changes(of: earlier) {
        contents[change.collection, default: [:]][change.record] = change.fields
      }
    }
    let count = Document.Value.int(Int64(number))
    contents[Self.numbers] = [Self.last: ["number": count, "count": count]]
    return contents.filter { !$0.value.isEmpty }
  }

  /// What a document holds.
  static func contents(of document: Document) -> Contents {
    var contents: Contents = [:]
    for collection in document.collections {
      var records: [String: [String: Document.Value]] = [:]
      for record in document.records(in: collection) {
        records[record] = document.fields(of: record, in: collection)
      }
      if !records.isEmpty { contents[collection] = records }
    }
    return contents
  }

  /// The number of the last commit that a document has; 0 if none.
  static func lastNumber(in document: Document) -> UInt64? {
    guard let value = document.value(of: "number", of: last, in: numbers) else { return 0 }
    guard case .int(let number) = value, number > 0 else { return nil }
    return UInt64(number)
  }
}
