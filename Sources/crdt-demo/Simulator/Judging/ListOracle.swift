import CRDTKit
import Toolkit

/// Computes what a list must read as at any version: places in a plain tree of FugueMax, and
/// all events that place an element, write its value, or remove it.
///
/// It shares nothing with the code under test except the names of events.
struct ListOracle {
  private enum Content: Equatable {
    /// The element stands at a place.
    case place(ElementID)
    case removed
    case value(Int64)
  }

  /// What an event says about an element.
  private struct Statement {
    var event: ElementID
    var content: Content
    /// The events that have written another value in its place.
    var replacing: [ElementID] = []
  }

  /// All places that were ever made, none dead; an element has the name of its first.
  private var sequence = NaiveSequence()
  /// The events after which nothing stands at a place any more.
  private var kills: [ElementID: [ElementID]] = [:]
  private var statements: [ElementID: [Statement]] = [:]

  /// The list as one has it who has seen some events.
  private struct State {
    struct Place {
      var id: ElementID
      var isLiving: Bool
    }

    struct Element {
      var id: ElementID
      /// The index of its place.
      var place: Int
    }

    /// All places in order, dead ones too.
    var places: [Place]
    var elements: [Element] = []
  }

  /// Adds the events of an edit; returns what is wrong with it.
  ///
  /// - Complexity: O(events) for each part of the edit.
  mutating func record(_ edit: RecordedEdit) -> String? {
    guard let changes = edit.change.list else { return "an edit of a list has no changes" }
    var version = edit.observed
    for change in changes {
      guard make(change, at: &version, by: edit.replica) else {
        return "an edit reaches beyond the list that its writer had seen: \(change)"
      }
    }
    let counter = version[edit.replica]
    if counter == edit.counter { return nil }
    return "an edit made the events up to \(edit.counter), not \(counter)"
  }

  /// The numbers of a ``ListReading`` at a version.
  ///
  /// - Complexity: O(events).
  func reading(at version: VersionVector) -> [Int64] {
    let isSeen = Self.seeing(version)
    return ListReading(
      elements: state(at: version).elements.map { element in
        values(of: element.id, isSeen).compactMap { statement in
          if case .value(let value) = statement.content { value } else { nil }
        }
      }
    ).numbers
  }
}

extension ListOracle {
  private static func seeing(_ version: VersionVector) -> (ElementID) -> Bool {
    let seen = Dictionary(
      version.map { ($0.replica.rawValue, $0.counter) }, uniquingKeysWith: max)
    return { $0.counter <= seen[$0.replica] ?? 0 }
  }

  private func state(at version: VersionVector) -> State {
    let isSeen = Self.seeing(version)
    var state = State(
      places: sequence.elements.map(\.id).filter(isSeen).map { id in
        State.Place(id: id, isLiving: isLiving(id, isSeen))
      })
    var owners: [ElementID: ElementID] = [:]
    for (id, all) in statements {
      for statement in all where isSeen(statement.event) {
        if case .place(let place) = statement.content { owners[place] = id }
      }
    }
    for (index, place) in state.places.enumerated() where place.isLiving {
      let id = owners[place.id] ?? place.id
      if livingPlaces(of: id, isSeen).shown == place.id {
        state.elements.append(State.Element(id: id, place: index))
      }
    }
    return state
  }

  private func isLiving(_ place: ElementID, _ isSeen: (ElementID) -> Bool) -> Bool {
    isSeen(place) && !(kills[place]?.contains(where: isSeen) ?? false)
  }

  /// The living places of an element, and where it stands: of several, at that of the last event.
  private func livingPlaces(
    of id: ElementID, _ isSeen: (ElementID) -> Bool
  ) -> (all: [ElementID], shown: ElementID?) {
    if isLiving(id, isSeen) { return ([id], id) }
    let seen = (statements[id] ?? []).filter { isSeen($0.event) }.sorted { $0.event < $1.event }
    let living = seen.compactMap { statement -> ElementID? in
      guard case .place(let place) = statement.content else { return nil }
      return isLiving(place, isSeen) ? place : nil
    }
    return (living, seen.contains { $0.content == .removed } ? nil : living.last)
  }

  /// The values of an element that no seen event has replaced.
  private func values(of id: ElementID, _ isSeen: (ElementID) -> Bool) -> [Statement] {
    (statements[id] ?? []).filter { statement in
      guard case .value = statement.content else { return false }
      return isSeen(statement.event) && !statement.replacing.contains(where: isSeen)
    }
  }
}

extension ListOracle {
  /// Adds the events of a change by one who has seen a version, which then has them, too; returns
  /// whether it can have been made.
  private mutating func make(
    _ change: ListChange, at version: inout VersionVector, by replica: ReplicaID
  ) -> Bool {
    let state = state(at: version)
    switch change {
    case .insert(let values, let index):
      guard 0...state.elements.count ~= index else { return false }
      insert(values, after: index == 0 ? nil : state.elements[index - 1], &version, replica)
    case .replace(let index, let value):
      guard state.elements.indices ~= index else { return false }
      let (id, isSeen) = (state.elements[index].id, Self.seeing(version))
      let replaced = values(of: id, isSeen).map(\.event)
      let event = Self.next(&version, replica)
      for place in (statements[id] ?? []).indices {
        guard let old = statements[id]?[place].event, replaced.contains(old) else { continue }
        statements[id]?[place].replacing.append(event)
      }
      statements[id, default: []].append(Statement(event: event, content: .value(value)))
    case .move(let indices, let target):
      guard indices.allSatisfy(state.elements.indices.contains),
        0...state.elements.count ~= target
      else { return false }
      guard !change.isIdle else { return true }
      move(
        indices.map { state.elements[$0].id },
        after: target == 0 ? nil : state.elements[target - 1].place, &version, replica)
    case .remove(let range):
      guard range.upperBound <= state.elements.count else { return false }
      let ids = state.elements[range].map(\.id)
      kill(ids, &version, replica)
      for id in ids {
        let event = Self.next(&version, replica)
        statements[id, default: []].append(Statement(event: event, content: .removed))
      }
    }
    return true
  }

  /// The name of the next event of a replica, which is seen from now on.
  private static func next(_ version: inout VersionVector, _ replica: ReplicaID) -> ElementID {
    version[replica] += 1
    return ElementID(replica: replica.rawValue, counter: version[replica])
  }

  /// Writes the values of new elements, then makes their places.
  private mutating func insert(
    _ values: [Int64], after left: State.Element?, _ version: inout VersionVector,
    _ replica: ReplicaID
  ) {
    let places = state(at: version).places
    for value in values {
      let event = Self.next(&version, replica)
      let id = ElementID(replica: event.replica, counter: event.counter + UInt64(values.count))
      statements[id] = [Statement(event: event, content: .value(value))]
    }
    _ = makePlaces(values.count, after: left.map(\.place), among: places, &version, replica)
  }

  /// Has elements stand nowhere, then makes new places, each with an event that says whose it is.
  private mutating func move(
    _ ids: [ElementID], after place: Int?, _ version: inout VersionVector, _ replica: ReplicaID
  ) {
    kill(ids, &version, replica)
    // What stood there may be what is moved.
    var places = state(at: version).places
    var left = place.flatMap { places[...$0].lastIndex(where: \.isLiving) }
    for id in ids {
      let made = makePlaces(1, after: left, among: places, &version, replica)
      let event = Self.next(&version, replica)
      for place in made {
        statements[id, default: []].append(Statement(event: event, content: .place(place)))
      }
      places = state(at: version).places
      left = places.lastIndex { made.contains($0.id) }
    }
  }

  private mutating func makePlaces(
    _ count: Int, after left: Int?, among places: [State.Place], _ version: inout VersionVector,
    _ replica: ReplicaID
  ) -> [ElementID] {
    let next = left.map { $0 + 1 } ?? 0
    let made = sequence.makeInserts(
      [Unicode.Scalar](repeating: " ", count: count), replica: replica.rawValue,
      firstCounter: version[replica] + 1, between: left.map { places[$0].id },
      and: next < places.count ? places[next].id : nil)
    for node in made {
      sequence.insert(node)
      version[replica] += 1
    }
    return made.map(\.id)
  }

  /// Has nothing stand any more at the seen places of elements, by one event.
  private mutating func kill(
    _ ids: [ElementID], _ version: inout VersionVector, _ replica: ReplicaID
  ) {
    let isSeen = Self.seeing(version)
    let dead = ids.flatMap { livingPlaces(of: $0, isSeen).all }
    let event = Self.next(&version, replica)
    for place in dead { kills[place, default: []].append(event) }
  }
}
