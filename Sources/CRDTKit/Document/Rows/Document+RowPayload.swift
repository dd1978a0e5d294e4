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
  /// A number made from the canonical form, and for values without making it.
  public var fingerprint: UInt64 {
    switch content {
    case .value(let value): return value.fingerprint &* 3 ^ time
    case .object: return time &+ 1
    case .set: return time &+ 2
    case .member: return time &+ 3
    case .revision, .counter, .deletion:
      var writer = ByteWriter()
      encode(to: &writer)
      return writer.withBytes { Fingerprint.of($0) }
    }
  }
}

extension Document.RowPayload.Content {
  /// The value, where the row holds one by itself.
  var value: Document.Value? {
    switch self {
    case .value(let value), .revision(let value, of: _): value
    default: nil
    }
  }
}
