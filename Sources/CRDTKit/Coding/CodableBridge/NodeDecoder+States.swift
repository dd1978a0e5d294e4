extension NodeDecoder {
  /// The value that was written several times concurrently: all of them merged if it
  /// knows how to merge, else the first.
  func value<Value: Decodable>(
    _ type: Value.Type, of states: [CodableNode], deeper: Int, key: (any CodingKey)?
  ) throws -> Value {
    let decoder = within(states.first ?? .null, deeper: deeper, key: key)
    do {
      var merged: Value = try value(of: decoder.node, deeper: deeper, key: key)
      guard merged is any Mergeable, type is any BytesCodable.Type else { return merged }
      for state in states.dropFirst() {
        let other: Value = try value(of: state, deeper: deeper, key: key)
        if let mergeable = merged as? any Mergeable,
          let both = mergeable.merging(any: other) as? Value
        {
          merged = both
        }
      }
      return merged
    } catch let failure as DecodingFailure {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "These are not the canonical bytes of \(type): \(failure).",
          underlyingError: failure))
    }
  }
}

extension Mergeable {
  /// The value merged with another, if that is of the same type.
  fileprivate func merging(any other: Any) -> Self {
    (other as? Self).map { merging($0) } ?? self
  }
}

extension BytesCodable {
  /// The bytes of what several states come to, and whether all of them were states;
  /// `nil` where the type doesn't merge, or none of the bytes are those of a state.
  static func merged(_ states: [[UInt8]]) -> (bytes: [UInt8], isWhole: Bool)? {
    var merged: Self?
    var isWhole = true
    for bytes in states {
      // Bytes that are no state add nothing.
      guard let state = try? Self(formInNode: bytes) else {
        isWhole = false
        continue
      }
      guard let known = merged else {
        merged = state
        continue
      }
      guard let mergeable = known as? any Mergeable,
        let both = mergeable.merging(any: state) as? Self
      else { return nil }
      merged = both
    }
    return merged.map { ($0.formInNode(), isWhole) }
  }
}
