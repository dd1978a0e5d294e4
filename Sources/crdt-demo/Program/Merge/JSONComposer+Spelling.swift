import CRDTKit
import Toolkit

extension JSONComposer {
  /// Which of three spellings of one thing is written: theirs, where only they
  /// changed it.
  static func spelling(
    _ base: ArraySlice<UInt8>?, _ ours: ArraySlice<UInt8>, _ theirs: ArraySlice<UInt8>?
  ) -> ArraySlice<UInt8> {
    guard let base, let theirs, base == ours else { return ours }
    return theirs
  }

  /// Writes a value of ours; where theirs is equal but was spelled anew, such as
  /// `1.50` as `1.5`, with their spelling.
  mutating func respell(_ base: JSONSide?, _ ours: JSONSide, _ theirs: JSONSide?) {
    guard let base, let theirs, theirs.bytes != ours.bytes else {
      output += ours.bytes
      return
    }
    switch (ours.node.content, theirs.node.content) {
    case (.array(let elements), .array):
      var end = ours.node.range.lowerBound
      for place in elements.indices {
        guard let element = ours.element(place) else { continue }
        output += ours.text.bytes[end..<element.node.range.lowerBound]
        respell(base.element(place), element, theirs.element(place))
        end = element.node.range.upperBound
      }
      output += ours.text.bytes[end..<ours.node.range.upperBound]
    case (.object(let members), .object):
      let (basePlaces, theirPlaces) = (base.places, theirs.places)
      var end = ours.node.range.lowerBound
      for (place, member) in members.enumerated() {
        guard let side = ours.member(place), let basePlace = basePlaces[member.name],
          let theirPlace = theirPlaces[member.name]
        else { continue }
        output += ours.text.bytes[end..<member.nameRange.lowerBound]
        output += Self.spelling(
          base.name(basePlace), ours.name(place), theirs.name(theirPlace))
        output += ours.text.bytes[member.nameRange.upperBound..<side.node.range.lowerBound]
        respell(base.member(basePlace), side, theirs.member(theirPlace))
        end = side.node.range.upperBound
      }
      output += ours.text.bytes[end..<ours.node.range.upperBound]
    default: output += Self.spelling(base.bytes, ours.bytes, theirs.bytes)
    }
  }

  /// Writes a value of their text, laid out as ours.
  mutating func write(_ node: JSONNode, of text: JSONText, indentation: ArraySlice<UInt8>) {
    guard let gaps = node.itemGaps(of: text) else {
      output += text.bytes(of: node)
      return
    }
    let inner = indentation + (style.step ?? [])
    output.append(text.bytes[node.range.lowerBound])
    for place in gaps.before.indices {
      if place > 0 { output.append(UInt8(ascii: ",")) }
      output += laidOut(gaps.before[place], inner, isFirst: place == 0)
      if let member = node.members?[place] {
        output += text.bytes[member.nameRange] + style.colon
        write(member.value, of: text, indentation: inner)
      } else if let element = node.elements?[place] {
        write(element, of: text, indentation: inner)
      }
    }
    output += laidOut(gaps.after[gaps.after.count - 1], indentation, isFirst: true)
    output.append(text.bytes[node.range.upperBound - 1])
  }

  /// White space of theirs as ours would be.
  private func laidOut(
    _ space: ArraySlice<UInt8>, _ indentation: ArraySlice<UInt8>, isFirst: Bool
  ) -> ArraySlice<UInt8> {
    let breaks = max(space.count { $0 == 0x0A }, space.breaksLine || unfolds ? 1 : 0)
    if breaks == 0 { return space }
    guard style.step != nil else { return isFirst ? [] : style.gap[...] }
    return ArraySlice(Array(repeating: style.lineBreak, count: breaks).joined()) + indentation
  }
}
