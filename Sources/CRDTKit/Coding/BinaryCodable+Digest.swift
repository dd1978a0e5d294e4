extension BinaryCodable {
  /// A number made from the type's code and the canonical form: where it is the
  /// same, so is the content, on whatever machines.
  ///
  ///     phoneList.digest == laptopList.digest   // they have converged
  ///
  /// It tells accidents apart, not attacks: it is no cryptographic digest.
  ///
  /// - Complexity: O(size of the value).
  @inlinable
  public var digest: UInt64 {
    var writer = ByteWriter(capacity: 256)
    BinaryFormat.writeHeader(typeCode: Self.typeCode, to: &writer)
    encode(to: &writer)
    return writer.withBytes { Fingerprint.of($0) }
  }
}
