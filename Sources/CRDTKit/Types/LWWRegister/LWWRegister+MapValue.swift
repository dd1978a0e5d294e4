extension LWWRegister: MapValue {
  /// Creates the register that its rows in a map read as: of concurrent writes,
  /// the one with the greatest stamp; `nil` where there is none.
  @inlinable
  public init?(table: DotTable<Unit, LWWRegister>) {
    var winner: LWWRegister?
    table.forEachRow { _, row in
      if winner == nil { winner = row.payload } else { winner?.merge(row.payload) }
    }
    guard let winner else { return nil }
    self = winner
  }
}

extension Editor {
  /// Writes a value into the register; says whether that changed it.
  ///
  /// A write at a stamp that is less than that of a write seen here has no effect.
  @inlinable
  @discardableResult
  public mutating func set<Content>(_ value: Content, at timestamp: HybridTimestamp) -> Bool
  where Value == LWWRegister<Content> {
    let dots = scope.dots()
    var register = LWWRegister(value, at: timestamp)
    for dot in dots {
      guard let seen = scope.row(at: dot)?.payload else { continue }
      register.merge(seen)
    }
    guard register == LWWRegister(value, at: timestamp) else { return false }
    scope.write(Row(key: Unit(), payload: register), killing: dots)
    return true
  }
}
