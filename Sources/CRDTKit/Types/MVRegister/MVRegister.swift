/// A register that keeps all concurrently written values, until a replica that has seen
/// them writes again.
///
///     var title: MVRegister<String> = MVRegister()
///     title.set("Moon", by: phone)
///     var copy = title
///     copy.set("Full moon", by: laptop)
///     title.set("New moon", by: phone)
///     title.merge(copy)
///     title.values                         // both; the phone's first, if its id is less
///     title.set("Moons", by: phone)        // replaces what it saw: both
///
/// Shapiro et al., "A comprehensive study of Convergent and Commutative
/// Replicated Data Types", 2011, section 3.2.2.
@frozen
public struct MVRegister<Value: CanonicalCodable>: TableBacked, MapValue {
  /// One row for each concurrent value.
  public var _table: DotTable<NoPayload, Value>

  /// Creates a register that has no value and has seen no events.
  @inlinable
  public init() {
    _table = DotTable()
  }

  /// Creates the register from its rows.
  @inlinable
  public init(_table table: DotTable<NoPayload, Value>) {
    _table = table
  }

  /// The type code of multi-value registers, then the value's.
  @inlinable
  public static var typeCode: [UInt8] { [37] + Value.typeCode }

  /// The values that no later write has replaced.
  ///
  /// There is none before the first write, and more than one after concurrent writes.
  /// They are in the order of their writers, which is the same on every replica.
  @inlinable
  public var values: [Value] {
    var values: [Value] = []
    values.reserveCapacity(_table.rowCount)
    _table.forEachRow { values.append($1.payload) }
    return values
  }

  /// The value, if there is exactly one.
  @inlinable
  public var value: Value? {
    guard _table.rowCount == 1 else { return nil }
    var only: Value?
    _table.forEachRow { only = $1.payload }
    return only
  }

  /// Whether the register has several concurrent values.
  @inlinable
  public var hasConflict: Bool { _table.rowCount > 1 }

  /// Writes a value on behalf of a replica.
  ///
  /// It replaces all values that are seen here.
  @inlinable
  public mutating func set(_ value: Value, by replica: ReplicaID) {
    _table.replace(NoPayload(), with: value, by: replica)
  }
}

extension MVRegister: CustomStringConvertible {
  /// The values in brackets.
  public var description: String { String(describing: values) }
}

extension Editor {
  /// Writes a value, which replaces all values that are seen here.
  @inlinable
  public mutating func set<Content>(_ value: Content) where Value == MVRegister<Content> {
    replace(NoPayload(), with: value)
  }
}
