/// An input of several parts: a byte that chooses, then each part after its length in two
/// bytes, the last one as long as it is.
///
/// All bytes are an input: a part ends with them at the latest.
package struct FuzzInput {
  package var choice: UInt8
  package var parts: [[UInt8]]

  package init(_ choice: UInt8, _ parts: [[UInt8]]) {
    self.choice = choice
    self.parts = parts
  }

  package init(_ bytes: [UInt8]) {
    choice = bytes.first ?? 0
    parts = []
    var rest = bytes.dropFirst()
    while rest.count >= 2 {
      let size = Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8
      rest = rest.dropFirst(2)
      parts.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
  }

  package var bytes: [UInt8] {
    parts.reduce(into: [choice]) { bytes, part in
      let part = part.prefix(0xFFFF)
      bytes += [UInt8(part.count & 0xFF), UInt8(part.count >> 8)] + part
    }
  }

  /// The part at a place; empty where there is none.
  package subscript(place: Int) -> [UInt8] {
    parts.indices.contains(place) ? parts[place] : []
  }
}
