import Toolkit

/// How a text is laid out, for what is put into it.
struct JSONStyle {
  /// What ends a line.
  var lineBreak: [UInt8] = [0x0A]
  /// How much further items stand than what is around them; `nil` if everything is
  /// on one line.
  var step: [UInt8]? = [0x20, 0x20]
  /// What stands between name and value.
  var colon: [UInt8] = Array(": ".utf8)
  /// What stands after a comma on one line.
  var gap: [UInt8] = [0x20]

  init() {}

  /// The style of a text; of another where the text has nothing that shows one.
  init(of text: JSONText, else other: JSONStyle = JSONStyle()) {
    self = other
    if let colon = Self.colon(in: text.root, of: text) { self.colon = colon }
    let outer = text.lead.indentation
    if !takeStep(from: text.root, of: text, in: outer), let first = text.root.itemGaps(of: text) {
      step = nil
      gap = first.before.count > 1 ? Array(first.before[1]) : colon.last == 0x20 ? [0x20] : []
    }
  }

  /// Takes over how the first container that goes over lines is indented, if any.
  private mutating func takeStep(
    from node: JSONNode, of text: JSONText, in outer: ArraySlice<UInt8>
  ) -> Bool {
    guard let gaps = node.itemGaps(of: text) else { return false }
    let first = gaps.before[0]
    if first.breaksLine {
      let inner = first.indentation
      lineBreak = Array(first.lastBreak.dropLast(inner.count))
      step = Array(inner.starts(with: outer) ? inner.dropFirst(outer.count) : inner)
      return true
    }
    let children = node.elements ?? node.members?.map(\.value) ?? []
    return children.contains { takeStep(from: $0, of: text, in: outer) }
  }

  /// What stands between the first name there is and its value.
  private static func colon(in node: JSONNode, of text: JSONText) -> [UInt8]? {
    if let member = node.members?.first {
      return Array(text.bytes[member.nameRange.upperBound..<member.value.range.lowerBound])
    }
    for element in node.elements ?? [] {
      if let colon = colon(in: element, of: text) { return colon }
    }
    return nil
  }
}

extension JSONNode {
  /// Where the elements or members stand.
  var itemRanges: [Range<Int>] {
    switch content {
    case .array(let elements): elements.map(\.range)
    case .object(let members): members.map(\.range)
    default: []
    }
  }

  /// The white space around the elements or members; `nil` if there are none.
  func itemGaps(of text: JSONText) -> JSONGaps? {
    let ranges = itemRanges
    return ranges.isEmpty ? nil : JSONGaps(in: range, around: ranges, of: text.bytes)
  }
}

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
