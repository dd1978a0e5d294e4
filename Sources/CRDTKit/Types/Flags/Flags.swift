/// A flag that any replica can switch.
///
/// If one replica enables and another disables it concurrently, it is enabled.
///
/// It begins disabled. Bieniusa et al., "An optimized conflict-free replicated set",
/// 2012, for a set of one element.
@frozen
public struct EWFlag: TableBacked, MapValue {
  /// One row for each enabling that no later switching has seen.
  public var _table: DotTable<NoPayload, Bool>

  /// Creates a disabled flag that has seen no events.
  @inlinable
  public init() {
    _table = DotTable()
  }

  /// Creates the flag from its rows.
  @inlinable
  public init(_table table: DotTable<NoPayload, Bool>) {
    _table = table
  }

  /// The type code of enable-wins flags.
  @inlinable
  public static var typeCode: [UInt8] { [38] }

  /// Whether the flag is enabled.
  @inlinable
  public var isEnabled: Bool { _table.rowCount > 0 }

  /// Switches the flag on, on behalf of a replica.
  @inlinable
  public mutating func enable(by replica: ReplicaID) {
    _table.replace(NoPayload(), with: true, by: replica)
  }

  /// Switches the flag off, on behalf of a replica.
  ///
  /// Concurrent enablings that it has not seen stay.
  @inlinable
  public mutating func disable(by replica: ReplicaID) {
    _table.removeAll(of: NoPayload(), by: replica)
  }
}

extension EWFlag: CustomStringConvertible {
  /// Either `enabled` or `disabled`.
  public var description: String { isEnabled ? "enabled" : "disabled" }
}

extension Editor where Value == EWFlag {
  /// Switches the flag on.
  @inlinable
  public mutating func enable() {
    replace(NoPayload(), with: true)
  }

  /// Switches the flag off; concurrent enablings that it has not seen stay.
  @inlinable
  public mutating func disable() {
    scope.remove(scope.dots(of: NoPayload()))
  }
}

/// A flag that any replica can switch.
///
/// If one replica enables and another disables it concurrently, it is disabled.
///
/// It begins disabled.
@frozen
public struct DWFlag: TableBacked, MapValue {
  /// One row for each switching that no later switching has seen; `true` for on.
  public var _table: DotTable<NoPayload, Bool>

  /// Creates a disabled flag that has seen no events.
  @inlinable
  public init() {
    _table = DotTable()
  }

  /// Creates the flag from its rows.
  @inlinable
  public init(_table table: DotTable<NoPayload, Bool>) {
    _table = table
  }

  /// The type code of disable-wins flags.
  @inlinable
  public static var typeCode: [UInt8] { [39] }

  /// Whether the flag is enabled: a replica enabled it, and none disabled it
  /// concurrently.
  @inlinable
  public var isEnabled: Bool {
    var isEnabled = _table.rowCount > 0
    _table.forEachRow { isEnabled = isEnabled && $1.payload }
    return isEnabled
  }

  /// Switches the flag on, on behalf of a replica.
  @inlinable
  public mutating func enable(by replica: ReplicaID) {
    _table.replace(NoPayload(), with: true, by: replica)
  }

  /// Switches the flag off, on behalf of a replica.
  @inlinable
  public mutating func disable(by replica: ReplicaID) {
    _table.replace(NoPayload(), with: false, by: replica)
  }
}

extension DWFlag: CustomStringConvertible {
  /// Either `enabled` or `disabled`.
  public var description: String { isEnabled ? "enabled" : "disabled" }
}

extension Editor where Value == DWFlag {
  /// Switches the flag on.
  @inlinable
  public mutating func enable() {
    replace(NoPayload(), with: true)
  }

  /// Switches the flag off.
  @inlinable
  public mutating func disable() {
    replace(NoPayload(), with: false)
  }
}
