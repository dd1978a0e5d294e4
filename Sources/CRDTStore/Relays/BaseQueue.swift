import CRDTKit

/// Deltas in a fixed order, each of which waits until a version contains its base.
///
/// A delta that waits is looked at again only when the version has more events of a replica
/// that it waits for.
struct BaseQueue<Element> {
  private var elements: [Element]
  private let base: KeyPath<Element, VersionVector>
  private var version: VersionVector
  /// The indices of the elements whose bases are there, the first one last.
  private var ready = MinHeap<Int>()
  /// The indices of the others, by a replica of which events are missing.
  private var waiting: [ReplicaID: [Int]] = [:]

  /// Creates a queue of elements in order.
  init(_ elements: [Element], base: KeyPath<Element, VersionVector>, at version: VersionVector) {
    self.elements = elements
    self.base = base
    self.version = version
    for place in elements.indices { sort(place) }
  }

  /// Removes the first element whose base is there.
  mutating func removeFirst() -> Element? {
    ready.removeMin().map { elements[$0] }
  }

  /// Notes that the version has grown.
  ///
  /// - Complexity: O(size of the version), and the elements that waited for what is new.
  mutating func advance(to version: VersionVector) {
    let former = self.version
    self.version = version
    guard !waiting.isEmpty else { return }
    for entry in version.subtracting(former) {
      for place in waiting.removeValue(forKey: entry.replica) ?? [] { sort(place) }
    }
  }

  /// The elements whose bases are not there, in order.
  var rest: [Element] {
    waiting.values.joined().sorted().map { elements[$0] }
  }

  private mutating func sort(_ place: Int) {
    let missing = elements[place][keyPath: base].first { version[$0.replica] < $0.counter }
    if let missing {
      waiting[missing.replica, default: []].append(place)
    } else {
      ready.insert(place)
    }
  }
}
