import CRDTKit
import Toolkit

/// Writes a merged value in our text: what is as ours was stays byte for byte, and
/// what comes from their text is laid out as ours.
struct JSONComposer {
  /// An item of a merged array or object, by its place on one of the sides.
  enum Piece: Equatable {
    case ours(Int)
    case theirs(Int)
  }

  let style: JSONStyle
  /// Whether their text is on one line, unlike ours.
  let unfolds: Bool
  var output: [UInt8] = []

  private init(ours: JSONText, theirs: JSONText) {
    let theirStyle = JSONStyle(of: theirs)
    style = JSONStyle(of: ours, else: theirStyle)
    unfolds = style.step != nil && theirStyle.step == nil
  }

  /// The text of a merged value.
  static func text(
    of merged: Document.Value, base: JSONSide?, ours: JSONSide, theirs: JSONSide
  ) -> [UInt8] {
    var composer = JSONComposer(ours: ours.text, theirs: theirs.text)
    let range = ours.node.range
    let start = ours.text.lead
    composer.output.reserveCapacity(ours.text.bytes.count)
    composer.output += spelling(base?.text.mark, ours.text.mark, theirs.text.mark)
    composer.output += start
    composer.write(merged, base, ours, theirs, indentation: start.indentation)
    composer.output += ours.text.bytes[range.upperBound...]
    return composer.output
  }

  /// Writes what became of a value of ours.
  private mutating func write(
    _ merged: Document.Value, _ base: JSONSide?, _ ours: JSONSide, _ theirs: JSONSide?,
    indentation: ArraySlice<UInt8>
  ) {
    if case .object(let fields) = merged, ours.node.members != nil {
      writeObject(fields, base, ours, theirs, indentation: indentation)
    } else if merged == ours.value {
      respell(base, ours, theirs?.value == merged ? theirs : nil)
    } else if let theirs, merged == theirs.value {
      write(theirs.node, of: theirs.text, indentation: indentation)
    } else if case .array(let elements) = merged,
      let pieces = Self.pieces(of: elements, ours, theirs)
    {
      writeItems(pieces, ours, theirs, indentation: indentation) { composer, piece, indentation in
        switch piece {
        case .ours(let place): composer.output += ours.element(place)?.bytes ?? []
        case .theirs(let place):
          guard let element = theirs?.element(place) else { return }
          composer.write(element.node, of: element.text, indentation: indentation)
        }
      }
    } else {
      // A sum.
      output += JSONValue(plain: merged).description.utf8
    }
  }

  private mutating func writeObject(
    _ merged: [String: Document.Value], _ base: JSONSide?, _ ours: JSONSide, _ theirs: JSONSide?,
    indentation: ArraySlice<UInt8>
  ) {
    let (basePlaces, theirPlaces) = (base?.places ?? [:], theirs?.places ?? [:])
    let pieces = Self.pieces(of: merged, ours, theirs)
    let colon = ours.colon ?? style.colon
    writeItems(pieces, ours, theirs, indentation: indentation) { composer, piece, indentation in
      switch piece {
      case .theirs(let place):
        guard let theirs, let member = theirs.member(place) else { return }
        composer.output += theirs.name(place) + colon
        composer.write(member.node, of: theirs.text, indentation: indentation)
      case .ours(let place):
        guard let member = ours.node.members?[place], let value = merged[member.name],
          let side = ours.member(place)
        else { return }
        let basePlace = basePlaces[member.name]
        let theirPlace = theirPlaces[member.name]
        composer.output += Self.spelling(
          basePlace.flatMap { base?.name($0) }, ours.name(place),
          theirPlace.flatMap { theirs?.name($0) })
        composer.output +=
          ours.text.bytes[member.nameRange.upperBound..<member.value.range.lowerBound]
        composer.write(
          value, basePlace.flatMap { base?.member($0) }, side,
          theirPlace.flatMap { theirs?.member($0) }, indentation: indentation)
      }
    }
  }

  /// Writes the items of a container of ours: where all are ours, with just the
  /// white space that they had.
  private mutating func writeItems(
    _ pieces: [Piece], _ ours: JSONSide, _ theirs: JSONSide?, indentation: ArraySlice<UInt8>,
    item: (inout JSONComposer, Piece, ArraySlice<UInt8>) -> Void
  ) {
    let gaps = ours.node.itemGaps(of: ours.text)
    if pieces.isEmpty, gaps == nil {
      output += ours.bytes
      return
    }
    output.append(ours.text.bytes[ours.node.range.lowerBound])
    var last: Piece?
    for piece in pieces {
      if let gaps, case .ours(let place) = last, place < gaps.after.count - 1 {
        output += gaps.after[place]
      }
      if last != nil { output.append(UInt8(ascii: ",")) }
      let lead = lead(of: piece, isFirst: last == nil, gaps, indentation)
      output += lead
      item(&self, piece, lead.breaksLine ? lead.indentation : indentation)
      last = piece
    }
    if last != nil { output += gaps?.after.last ?? closing(indentation) }
    output.append(ours.text.bytes[ours.node.range.upperBound - 1])
  }

  /// What stands before an item.
  private func lead(
    of piece: Piece, isFirst: Bool, _ gaps: JSONGaps?, _ indentation: ArraySlice<UInt8>
  ) -> ArraySlice<UInt8> {
    guard let gaps else {
      guard let step = style.step else { return isFirst ? [] : style.gap[...] }
      return style.lineBreak + indentation + step
    }
    if case .ours(let place) = piece, isFirst == (place == 0) { return gaps.before[place] }
    let first = gaps.before[0]
    if isFirst || first.breaksLine { return first.lastBreak }
    return gaps.before.count > 1 ? gaps.before[1].lastBreak : style.gap[...]
  }

  /// What stands before the closing bracket of what was empty.
  private func closing(_ indentation: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    style.step == nil ? [] : style.lineBreak + indentation
  }
}

extension JSONSide {
  /// What stands between the first member's name and its value.
  fileprivate var colon: [UInt8]? {
    node.members?.first.map {
      Array(text.bytes[$0.nameRange.upperBound..<$0.value.range.lowerBound])
    }
  }
}

extension JSONComposer {
  /// The members of a merged object in our order, each that is theirs alone after
  /// the member that it follows in their text.
  static func pieces(
    of merged: [String: Document.Value], _ ours: JSONSide, _ theirs: JSONSide?
  ) -> [Piece] {
    let ourPlaces = ours.places
    // What comes before the first of ours that stays, then after each of ours.
    var added: [[Piece]] = Array(repeating: [], count: (ours.node.members?.count ?? 0) + 1)
    var neighbour = 0
    for (place, member) in (theirs?.node.members ?? []).enumerated()
    where merged.index(forKey: member.name) != nil {
      if let ourPlace = ourPlaces[member.name] {
        neighbour = ourPlace + 1
      } else {
        added[neighbour].append(.theirs(place))
      }
    }
    var pieces = added[0]
    for (place, member) in (ours.node.members ?? []).enumerated() {
      if merged.index(forKey: member.name) != nil { pieces.append(.ours(place)) }
      pieces += added[place + 1]
    }
    return pieces
  }

  /// The elements of a merged array in its order; `nil` unless ours is an array too,
  /// and each element is from one side.
  static func pieces(
    of merged: [Document.Value], _ ours: JSONSide, _ theirs: JSONSide?
  ) -> [Piece]? {
    guard case .array(let ourElements) = ours.value else { return nil }
    var places: [Document.Value: Piece] = [:]
    for (place, element) in ourElements.enumerated() where places[element] == nil {
      places[element] = .ours(place)
    }
    if case .array(let theirElements)? = theirs?.value {
      for (place, element) in theirElements.enumerated() where places[element] == nil {
        places[element] = .theirs(place)
      }
    }
    let pieces = merged.compactMap { places[$0] }
    return pieces.count == merged.count ? pieces : nil
  }
}
