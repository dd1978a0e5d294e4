import CRDTKit

extension ORSet {
  /// A set into which one replica has put the elements one by one.
  init(_ elements: some Sequence<Element>, by replica: ReplicaID) {
    self.init()
    for element in elements { insert(element, by: replica) }
  }

  /// A set as it is after a start from bytes and one lookup: in storage of its
  /// own and with its index built.
  static func indexed(decoding bytes: [UInt8], asking element: Element) throws -> ORSet {
    let set = try ORSet(decoding: bytes)
    blackHole(set.contains(element))
    return set
  }

  static func indexed(of elements: some Collection<Element>) throws -> ORSet {
    let set = try ORSet(decoding: ORSet(elements, by: .author).encoded())
    if let first = elements.first { blackHole(set.contains(first)) }
    return set
  }
}
