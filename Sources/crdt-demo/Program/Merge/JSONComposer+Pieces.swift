import CRDTKit
import Toolkit

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
