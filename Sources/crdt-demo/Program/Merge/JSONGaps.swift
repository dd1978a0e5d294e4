/// The white space around the items of an array or object, as it is written.
struct JSONGaps {
  /// What stands before each item, after the bracket or comma.
  var before: [ArraySlice<UInt8>] = []
  /// What stands after each item, before the comma; for the last, the bracket.
  var after: [ArraySlice<UInt8>] = []

  /// The white space around items that stand in these places of a container.
  init(in container: Range<Int>, around items: [Range<Int>], of bytes: [UInt8]) {
    var start = container.lowerBound + 1
    for (place, item) in items.enumerated() {
      before.append(bytes[start..<item.lowerBound])
      let isLast = place == items.count - 1
      let next = isLast ? container.upperBound - 1 : items[place + 1].lowerBound
      let gap = bytes[item.upperBound..<next]
      let comma = isLast ? next : gap.firstIndex(of: UInt8(ascii: ",")) ?? next
      after.append(gap[..<comma])
      start = min(comma + 1, next)
    }
  }
}

extension ArraySlice<UInt8> {
  /// Whether it goes over a line's end.
  var breaksLine: Bool { contains { $0 == 0x0A || $0 == 0x0D } }

  /// White space without empty lines.
  var lastBreak: ArraySlice<UInt8> {
    guard let end = lastIndex(where: { $0 == 0x0A || $0 == 0x0D }) else { return self }
    let isPair = self[end] == 0x0A && end > startIndex && self[end - 1] == 0x0D
    return self[(isPair ? end - 1 : end)...]
  }

  /// White space after the last line's end: how far a line is indented.
  var indentation: ArraySlice<UInt8> {
    lastIndex { $0 == 0x0A || $0 == 0x0D }.map { self[($0 + 1)...] } ?? self
  }
}
