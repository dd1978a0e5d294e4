import CRDTKit

/// Well-formed bytes of many rows under one key, as only a hostile peer makes them: an
/// honest replica replaces its own row.
struct Crowd<Value: TableBacked> {
  let state: [UInt8]
  let delta: [UInt8]

  /// Repeats a row of a value, as so many replicas in turns, until the state takes about as
  /// many bytes.
  init(repeating place: Int, of value: Value, size: Int, replicas: Int) {
    let row = value.row(place)
    var value = value
    var count = 0
    var bytes = value.encoded().count
    var more = 1_000
    while bytes < size {
      for _ in 0..<more {
        value._table.write(row, by: ReplicaID(UInt64(100 + count % replicas)), killing: [])
        count += 1
      }
      let before = bytes
      bytes = value.encoded().count
      more = max(1_000, (size - bytes) * more / max(bytes - before, 1))
    }
    state = value.encoded()
    delta = value.delta(since: [:]).encoded()
  }
}

extension TableBacked {
  /// The row at a place that is counted back from the last row, which is 0.
  func row(_ place: Int) -> CRDTKit.Row<RowKey, RowPayload> {
    let dots = _table.dots()
    guard let row = _table.row(at: dots[dots.count - 1 - place]) else {
      preconditionFailure("a row that was just listed is gone")
    }
    return row
  }
}
