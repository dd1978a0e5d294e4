extension Document {
  /// What a row says, and when it was written; the writer is its dot's replica.
  public struct RowPayload: Sendable {
    /// What a row says.
    enum Content: Sendable {
      /// A value.
      case value(Value)
      /// A value that was written in place of another, which a conflict is to show.
      indirect case revision(Value, of: Alternative)
      /// That there is an object here: its fields have rows of their own.
      case object
      /// That there is a set here: its elements have rows of their own.
      case set
      /// That the element is in the set.
      case member
      /// What one replica has counted, or what a removal of the counter has seen.
      case counter(CounterRow)
      /// That the record was deleted by someone who had seen these events of it.
      case deletion(VersionVector)
    }

    /// The time of the stamp.
    let time: UInt64
    let content: Content

    init(_ content: Content, at time: UInt64) {
      self.content = content
      self.time = time
    }
  }
}

extension Document.RowPayload {
  /// A number made from the kind, the time and the content, one after another.
  public var fingerprint: UInt64 {
    var fingerprint = Fingerprint()
    switch content {
    case .value(let value):
      fingerprint.combine(0)
      fingerprint.combine(time)
      fingerprint.combine(value.fingerprint)
    case .object, .set, .member:
      fingerprint.combine(content.mark)
      fingerprint.combine(time)
    case .revision, .counter, .deletion:
      var writer = ByteWriter()
      encode(to: &writer)
      fingerprint.combine(content.mark)
      writer.withBytes { fingerprint.combine($0) }
    }
    return fingerprint.value
  }
}

extension Document.RowPayload.Content {
  /// What tells the kinds apart in a fingerprint.
  fileprivate var mark: UInt64 {
    switch self {
    case .value: 0
    case .object: 1
    case .set: 2
    case .member: 3
    case .revision: 4
    case .counter: 5
    case .deletion: 6
    }
  }

  /// The value, where the row holds one by itself.
  var value: Document.Value? {
    switch self {
    case .value(let value), .revision(let value, of: _): value
    default: nil
    }
  }
}
