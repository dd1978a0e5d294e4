package import CRDTKit

extension Document {
  /// Takes in all that another document has, in one of four ways: by merging it or its bytes, or
  /// by a delta, also into a copy that was read anew from bytes.
  package mutating func take(_ other: Document, way number: Int) throws {
    switch number % 4 {
    case 0: merge(other)
    case 1: try apply(other.delta(since: version))
    case 2: try merge(decoding: other.encoded())
    default:
      var joined = try Document(decoding: encoded(), schema: schema)
      try joined.apply(decoding: other.delta(since: version).encoded())
      self = joined
    }
  }
}
