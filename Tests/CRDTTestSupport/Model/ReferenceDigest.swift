package import CRDTKit

/// The digest of a table, made from all of its rows anew as the article on the format says,
/// in hexadecimal digits.
package func referenceDigest<Key, Payload>(of table: DotTable<Key, Payload>) -> String {
  var message = ByteWriter()
  message.write(2 as UInt8)
  for column in table.columns {
    column.replica.encode(to: &message)
    message.write(fixed: column.seen)
    message.write(referenceRoot(of: column) ?? Array(repeating: 0, count: 32))
  }
  return SHA256.hexadecimalDigest(of: message.finish())
}

/// The 32 bytes that a column's rows come to; `nil` where there are none.
private func referenceRoot<Key, Payload>(of column: Column<Key, Payload>) -> [UInt8]? {
  var chunks: [(index: UInt64, rows: [(counter: UInt64, row: Row<Key, Payload>)])] = []
  column.forEachRow { counter, row in
    let index = (counter - 1) / 16
    if chunks.last?.index != index { chunks.append((index, [])) }
    chunks[chunks.count - 1].rows.append((counter, row))
  }
  var nodes = chunks.map { chunk in
    var message = ByteWriter()
    message.forgets = true
    message.write(0 as UInt8)
    message.write(fixed: chunk.index)
    message.write(fixed: chunk.rows.reduce(0 as UInt16) { $0 | 1 << (($1.counter - 1) % 16) })
    var previous: Row<Key, Payload>?
    for (_, row) in chunk.rows {
      row.key.encode(to: &message, after: previous?.key)
      row.payload.encode(to: &message, after: previous?.payload)
      previous = row
    }
    return (index: chunk.index, bytes: digest(of: message.finish()))
  }
  while nodes.count > 1 {
    var parents: [(index: UInt64, children: [[UInt8]])] = []
    for node in nodes {
      if parents.last?.index != node.index / 4 { parents.append((node.index / 4, [])) }
      parents[parents.count - 1].children.append(node.bytes)
    }
    nodes = parents.map { parent in
      let isAlone = parent.children.count == 1
      return (
        parent.index,
        isAlone ? parent.children[0] : digest(of: [1] + parent.children.flatMap { $0.prefix(28) })
      )
    }
  }
  return nodes.first?.bytes
}

private func digest(of bytes: [UInt8]) -> [UInt8] {
  bytes.withUnsafeBytes { SHA256.digest(of: $0) }.words.flatMap { word in
    (0..<8).reversed().map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
  }
}
