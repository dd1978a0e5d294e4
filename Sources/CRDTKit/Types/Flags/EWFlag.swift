/// A flag that can be switched on any replica; where one enables and another
/// disables it concurrently, it is enabled.
///
/// It begins disabled. Bieniusa et al., "An optimized conflict-free replicated
/// set", 2012, for a set of one element.
@frozen
public struct EWFlag: TableBacked {
  /// A row for each time the flag was enabled and that nobody has seen since.
  public var table: DotTable<Unit, Bool>

  /// Creates a disabled flag that has seen nothing.
  @inlinable
  public init() {
    table = DotTable()
  }

  /// Creates the flag that a table's rows read as.
  @inlinable
  public init(table: DotTable<Unit, Bool>) {
    self.table = table
  }

  /// The code of enable-wins flags.
  @inlinable
  public static var typeCode: [UInt8] { [38] }

  /// Whether the flag is on.
  @inlinable
  public var isEnabled: Bool { table.rowCount > 0 }

  /// Switches the flag on, on behalf of a replica.
  @inlinable
  public mutating func enable(by replica: ReplicaID) {
    table.replace(Unit(), with: true, by: replica)
  }

  /// Switches off what was seen to be on, on behalf of a replica.
  @inlinable
  public mutating func disable(by replica: ReplicaID) {
    table.removeAll(of: Unit(), by: replica)
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
    replace(Unit(), with: true)
  }

  /// Switches off what was seen to be on.
  @inlinable
  public mutating func disable() {
    scope.remove(scope.dots(of: Unit()))
  }
}
