package import CRDTKit

extension TableBacked {
  /// What the bytes decode to: what an app has that was started again.
  package func readBack() throws(DecodingFailure) -> Self { try Self(decoding: encoded()) }
}

extension Document {
  /// What the bytes decode to, under the same rules.
  package func readBack() throws(DecodingFailure) -> Document {
    var document = try Document(decoding: encoded())
    document.schema = schema
    return document
  }
}
