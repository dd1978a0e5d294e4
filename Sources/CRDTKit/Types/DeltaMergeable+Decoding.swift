extension DeltaMergeable where Self: BinaryCodable {
  /// Takes in the encoded state of another copy.
  ///
  /// - Parameters:
  ///   - bytes: What `encoded()` gave.
  ///   - memoryBytesMax: How much memory what they hold may take by itself.
  /// - Returns: Whether there was anything new.
  /// - Throws: ``DeltaError``, and then nothing has changed.
  /// - Complexity: O(size of both copies).
  @inlinable
  @discardableResult
  public mutating func merge(
    decoding bytes: [UInt8], memoryBytesMax: Int = .max
  ) throws(DeltaError) -> Bool {
    let other = try DeltaError.wrap { () throws(DecodingFailure) in
      try Self(decoding: bytes, memoryBytesMax: memoryBytesMax)
    }
    return try merge(checking: other)
  }
}

extension DeltaMergeable where Delta: BinaryCodable {
  /// Takes in an encoded delta.
  ///
  /// - Parameters:
  ///   - bytes: What `encoded()` gave.
  ///   - memoryBytesMax: How much memory what they hold may take by itself.
  /// - Returns: Whether there was anything new.
  /// - Throws: ``DeltaError``, and then nothing has changed.
  /// - Complexity: O(`bytes.count`) and what applying the delta takes.
  @inlinable
  @discardableResult
  public mutating func apply(
    decoding bytes: [UInt8], memoryBytesMax: Int = .max
  ) throws(DeltaError) -> Bool {
    let delta = try DeltaError.wrap { () throws(DecodingFailure) in
      try Delta(decoding: bytes, memoryBytesMax: memoryBytesMax)
    }
    return try apply(delta)
  }
}
