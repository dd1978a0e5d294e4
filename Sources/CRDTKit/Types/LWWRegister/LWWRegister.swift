/// One value, of which the last write is kept: the one with the greatest stamp.
///
/// The stamps come from a ``HybridLogicalClock``, so a write made with knowledge
/// of another one wins over it, whatever the wall clocks say:
///
///     var title = LWWRegister("Moon", at: clock.now(wallMilliseconds: wall))
///     title.set("Full moon", at: clock.now(wallMilliseconds: wall))
///
/// Of two concurrent writes one is dropped: where both matter, keep them in an
/// ``MVRegister``.
///
/// Two writes under one stamp are a mistake (a replica identifier used twice).
/// Even so all copies come to agree: of the values under it, the one whose
/// canonical form is greater, byte by byte, stays.
///
/// Johnson, Thomas, "The Maintenance of Duplicate Databases", RFC 677, 1975.
@frozen
public struct LWWRegister<Value: CanonicalCodable>: Sendable {
  /// When the value was written, and by which replica.
  @inlinable
  public var timestamp: HybridTimestamp { stamp }

  /// The value last written.
  @inlinable
  public var value: Value { content }

  @usableFromInline var stamp: HybridTimestamp
  @usableFromInline var content: Value

  /// Creates a register that was first written at the given stamp.
  @inlinable
  public init(_ value: Value, at timestamp: HybridTimestamp) {
    stamp = timestamp
    content = value
  }

  /// Writes a value; says whether that changed the register.
  ///
  /// A write at a stamp that is less than the register's has no effect. A clock
  /// that has received the register's ``timestamp`` makes greater ones only.
  @inlinable
  @discardableResult
  public mutating func set(_ value: Value, at timestamp: HybridTimestamp) -> Bool {
    take(value, at: timestamp)
  }

  /// Changes the value in place as one write, and gives the delta that holds it.
  ///
  ///     let delta = title.edit(at: clock.now(wallMilliseconds: wall)) { $0 += "!" }
  ///     try copy.apply(delta)
  ///
  /// A write at a stamp that is less than the register's has no effect; the delta
  /// is empty then.
  ///
  /// - Throws: What `body` throws, and then nothing has changed.
  @inlinable
  @discardableResult
  public mutating func edit<Result, Failure: Error>(
    at timestamp: HybridTimestamp,
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Delta {
    var edited = value
    _ = try body(&edited)
    return Delta(take(edited, at: timestamp) ? self : nil)
  }
}

extension LWWRegister: CustomStringConvertible {
  /// The value's description.
  public var description: String { String(describing: value) }
}
