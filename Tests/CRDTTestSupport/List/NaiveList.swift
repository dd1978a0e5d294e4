package import Toolkit

/// A replicated list of values, with nothing that makes it fast: the model that the engine is
/// compared with.
///
/// Places stand in a naive sequence. Each row has the event that wrote it, and stays in a merge
/// if both sides have it, or if one side has it and the other has not seen its event.
package struct NaiveList: Sendable {
  package enum Content: Hashable, Sendable {
    /// The element stands at a place.
    case place(ElementID)
    case removed
    case value(String)
  }

  package struct Row: Hashable, Sendable {
    package var element: ElementID
    package var content: Content
  }

  package private(set) var places = NaiveSequence()
  private var rows: [ElementID: Row] = [:]
  /// The number of events of each replica that were seen.
  package private(set) var seen: [UInt64: UInt64] = [:]

  package init() {}

  /// The elements in order, each with its values in the order of their events.
  package var elements: [(id: ElementID, values: [String])] {
    let own = rowsByElement
    return shownPlaces.map { _, id in
      let values = own[id, default: []].compactMap { row in
        if case .value(let value) = row.content { value } else { nil }
      }
      return (id, values)
    }
  }

  /// The rows of each element, in the order of their events.
  private var rowsByElement: [ElementID: [Row]] {
    let sorted = rows.sorted { $0.key < $1.key }.map(\.value)
    return Dictionary(grouping: sorted, by: \.element)
  }

  /// The places where elements stand.
  private var shownPlaces: [(place: ElementID, id: ElementID)] {
    let own = rowsByElement
    var owners: [ElementID: ElementID] = [:]
    for row in rows.values {
      if case .place(let place) = row.content { owners[place] = row.element }
    }
    return places.visibleIDs(in: 0..<places.count).compactMap { place in
      let id = owners[place] ?? place
      return self.place(of: id, own[id, default: []]) == place ? (place, id) : nil
    }
  }

  /// The place where an element with some rows stands: of several, that of the last row.
  private func place(of id: ElementID, _ own: [Row]) -> ElementID? {
    if places.node(id)?.isDead == false { return id }
    if own.contains(where: { $0.content == .removed }) { return nil }
    return own.compactMap { row -> ElementID? in
      guard case .place(let place) = row.content else { return nil }
      return places.node(place)?.isDead == false ? place : nil
    }.last
  }
}

extension NaiveList {
  /// Inserts elements: the rows of all, then the places of all.
  package mutating func insert(_ values: [String], at index: Int, by replica: UInt64) {
    let visible = visibleIndex(before: index)
    let first = seen[replica, default: 0] + UInt64(values.count) + 1
    for (place, value) in values.enumerated() {
      let element = ElementID(replica: replica, counter: first + UInt64(place))
      write(element, .value(value), by: replica)
    }
    _ = makePlaces(values.count, at: visible, by: replica)
  }

  package mutating func replace(at index: Int, with value: String, by replica: UInt64) {
    let id = shownPlaces[index].id
    for (dot, row) in rows where row.element == id {
      if case .value = row.content { rows[dot] = nil }
    }
    write(id, .value(value), by: replica)
  }

  /// Moves elements to before the one with an index: kills their places, then makes others,
  /// each with a row.
  package mutating func move(_ indices: [Int], before index: Int, by replica: UInt64) {
    let shown = shownPlaces
    let ids = indices.map { shown[$0].id }
    let before = index == 0 ? [] : places.visibleIDs(in: 0..<visibleIndex(before: index))
    kill(ids.flatMap(livingPlaces), by: replica)
    var visible = before.count { places.node($0)?.isDead == false }
    for id in ids {
      let place = makePlaces(1, at: visible, by: replica)[0]
      for (dot, row) in rows where row.element == id {
        if case .place = row.content { rows[dot] = nil }
      }
      write(id, .place(place), by: replica)
      visible += 1
    }
  }

  package mutating func remove(_ indices: Range<Int>, by replica: UInt64) {
    let ids = shownPlaces[indices].map(\.id)
    kill(ids.flatMap(livingPlaces), by: replica)
    for id in ids {
      for (dot, row) in rows where row.element == id { rows[dot] = nil }
      write(id, .removed, by: replica)
    }
  }

  package mutating func merge(_ other: NaiveList) {
    places.merge(other.places)
    rows = rows.filter { dot, _ in
      other.rows[dot] != nil || dot.counter > other.seen[dot.replica, default: 0]
    }
    for (dot, row) in other.rows where dot.counter > seen[dot.replica, default: 0] {
      rows[dot] = row
    }
    seen.merge(other.seen, uniquingKeysWith: max)
  }

  private func livingPlaces(of id: ElementID) -> [ElementID] {
    let moved = rows.values.compactMap { row -> ElementID? in
      guard row.element == id, case .place(let place) = row.content else { return nil }
      return place
    }
    return ([id] + moved).filter { places.node($0)?.isDead == false }
  }

  /// The place among the living ones right after the element before an index.
  private func visibleIndex(before index: Int) -> Int {
    guard index > 0 else { return 0 }
    let previous = shownPlaces[index - 1].place
    return (places.visibleIDs(in: 0..<places.count).firstIndex(of: previous) ?? 0) + 1
  }

  private mutating func makePlaces(
    _ count: Int, at visibleIndex: Int, by replica: UInt64
  ) -> [ElementID] {
    let nodes = places.makeInserts(
      at: visibleIndex, String(repeating: " ", count: count), replica: replica,
      firstCounter: seen[replica, default: 0] + 1)
    for node in nodes {
      places.insert(node)
      seen[replica, default: 0] += 1
    }
    return nodes.map(\.id)
  }

  private mutating func write(_ element: ElementID, _ content: Content, by replica: UInt64) {
    seen[replica, default: 0] += 1
    let dot = ElementID(replica: replica, counter: seen[replica, default: 0])
    rows[dot] = Row(element: element, content: content)
  }

  private mutating func kill(_ dead: [ElementID], by replica: UInt64) {
    guard !dead.isEmpty else { return }
    seen[replica, default: 0] += 1
    for place in dead { places.delete(place) }
  }
}
