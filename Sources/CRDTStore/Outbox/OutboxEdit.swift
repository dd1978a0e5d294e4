public import CRDTKit

extension Outbox {
  /// A replacement within a text or a list, as an operation sends it to a server.
  ///
  /// See ``ServerAccess/queuedAsEdits``. The JSON form is an object of `at`, where the
  /// replacement begins, `removed`, how much goes there, and `inserted`, what comes in its
  /// place: `{"at": 3, "removed": 2, "inserted": "xy"}`.
  public struct Edit: Hashable, Sendable {
    /// What is replaced: UTF-16 units of a text, or elements of a list, counted after the edits
    /// before this one are made.
    public var replaced: Range<Int>
    /// What comes in its place: a string in a text, an array in a list; empty if it only goes.
    public var inserted: Document.Value

    /// Creates a replacement.
    public init(replaced: Range<Int>, inserted: Document.Value) {
      self.replaced = replaced
      self.inserted = inserted
    }
  }
}

extension Document.Value {
  /// Returns the text or list after some edits; `nil` if they don't fit it.
  ///
  /// Use it in a server that is written in Swift. The edits must be in ascending order, as
  /// they are in an envelope:
  ///
  ///     fields["body"] = fields["body"]?.applying(edits)
  ///
  /// - Complexity: O(size of the value and of the edits).
  public func applying(_ edits: [Outbox.Edit]) -> Document.Value? {
    switch self {
    case .string(let string):
      let pieces = edits.map { edit -> [UInt16]? in
        if case .string(let inserted) = edit.inserted { Array(inserted.utf16) } else { nil }
      }
      guard let units = Array(string.utf16).applying(edits, inserting: pieces) else { return nil }
      let text = String(decoding: units, as: UTF16.self)
      // A range that cuts a character of two units leaves no text.
      return text.utf16.elementsEqual(units) ? .string(text) : nil
    case .array(let elements):
      let pieces = edits.map { edit -> [Document.Value]? in
        if case .array(let inserted) = edit.inserted { inserted } else { nil }
      }
      return elements.applying(edits, inserting: pieces).map { .array($0) }
    default: return nil
    }
  }
}

extension Array {
  fileprivate func applying(_ edits: [Outbox.Edit], inserting pieces: [[Element]?]) -> [Element]? {
    var new: [Element] = []
    var next = 0
    for (edit, piece) in zip(edits, pieces) {
      let kept = edit.replaced.lowerBound - new.count
      guard let piece, kept >= 0, kept <= count - next,
        edit.replaced.count <= count - next - kept
      else { return nil }
      new += self[next..<next + kept]
      new += piece
      next += kept + edit.replaced.count
    }
    return new + self[next...]
  }
}

extension Outbox.Edit {
  /// The edits that turn one text or list into another; `nil` if the two are not of one kind.
  ///
  /// - Complexity: O(size of both); for lists, with a factor of O(log n).
  static func edits(from old: Document.Value, to new: Document.Value) -> [Outbox.Edit]? {
    switch (old, new) {
    case (.string(let old), .string(let new)):
      return ReplicatedText.Change.changes(from: old, to: new).map {
        Outbox.Edit(replaced: $0.replaced, inserted: .string($0.inserted))
      }
    case (.array(let old), .array(let new)):
      // Equal values may be spelled differently, and the server gets to know the spelling.
      return old.map(\.bytes).replacements(toBecome: new.map(\.bytes)).map {
        Outbox.Edit(replaced: $0.replaced, inserted: .array(Array(new[$0.inserted])))
      }
    default: return nil
    }
  }

  /// The edit with timestamps in the form that a server receives.
  var sayingMoments: Outbox.Edit {
    Outbox.Edit(replaced: replaced, inserted: inserted.sayingMoments)
  }
}

extension Outbox.Edit: Codable {
  private enum CodingKeys: String, CodingKey {
    case at, removed, inserted
  }

  /// Encodes `at`, `removed` and `inserted`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(replaced.lowerBound, forKey: .at)
    try container.encode(replaced.count, forKey: .removed)
    try container.encode(inserted, forKey: .inserted)
  }

  /// Decodes an edit; a missing `removed` is 0.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let start = try container.decode(Int.self, forKey: .at)
    let count = try container.decodeIfPresent(Int.self, forKey: .removed) ?? 0
    let (end, overflows) = start.addingReportingOverflow(count)
    guard start >= 0, count >= 0, !overflows else {
      throw DecodingError.dataCorruptedError(
        forKey: .at, in: container, debugDescription: "An edit can't begin or end there.")
    }
    replaced = start..<end
    inserted = try container.decode(Document.Value.self, forKey: .inserted)
    switch inserted {
    case .string, .array: break
    default:
      throw DecodingError.dataCorruptedError(
        forKey: .inserted, in: container,
        debugDescription: "An edit inserts a text or an array, not \(inserted).")
    }
  }
}

extension Outbox.Edit {
  /// Writes where the edit begins, how much goes, and what comes: for a hash.
  func encode(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(replaced.lowerBound))
    writer.write(varint: UInt64(replaced.count))
    inserted.encode(to: &writer)
  }
}

extension Document.Value {
  fileprivate var bytes: [UInt8] {
    var writer = ByteWriter()
    encode(to: &writer)
    return writer.finish()
  }
}

extension Outbox.Envelope {
  /// Replaces assignments of texts and lists by the edits that lead to them from what the
  /// server has.
  mutating func replaceAssignments(withEditsOf known: ServerTexts) {
    let all = changes
    changes.removeAll { change in
      // Edits are applied after all other changes, so none may be of a part or of the whole.
      guard let after = change.after, let before = known[change.path],
        all.count(where: { $0.overlaps(change) }) == 1,
        let edits = Outbox.Edit.edits(from: before, to: after)
      else { return false }
      self.edits[change.path] = edits
      return true
    }
  }
}
