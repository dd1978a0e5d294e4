/// The key of a row of a list, whatever the type of the values.
@usableFromInline
protocol PlaceKey: Hashable {
  var element: ListElementID { get }
  /// Whether the row says where its element stands.
  var isPlace: Bool { get }

  init(placeOf element: ListElementID)
}

/// The payload of a row of a list, whatever the type of the values.
@usableFromInline
protocol PlacePayload {
  static var place: Self { get }
  static var removed: Self { get }

  var isPlace: Bool { get }
  var isRemoval: Bool { get }
}

/// Where the elements of a list stand.
///
/// The elements of the table's text are *places*. An element of the list stands at the place of
/// the event that has inserted it, as long as that place isn't dead. A move makes another place,
/// then, in the next event, a row that says whose place it is, and then kills the earlier places
/// and such rows of the element. Of several living places of one element, as moves at the same
/// time leave them, the one with the greatest dot counts; the others are *hidden*. A removal
/// leaves a row that hides all places of the element that others make at the same time.
///
/// All that is decided by the rows and elements of the table alone. Several such rows of one
/// element have the same key, so the index of keys knows them, and nothing has to be searched
/// for hidden places.
extension DotTable where Key: PlaceKey, Payload: PlacePayload {
  /// The places of one element.
  @usableFromInline
  struct ElementPlaces {
    /// The place where it stands; `nil` if it is removed.
    @usableFromInline var shown: Dot?
    /// All its living places.
    @usableFromInline var living: ContiguousArray<Dot> = []
    /// The rows that say where it stands, or that it is removed.
    @usableFromInline var rows: ContiguousArray<Dot>

    @inlinable
    init(rows: ContiguousArray<Dot>) {
      self.rows = rows
    }
  }

  /// Returns the places of an element.
  ///
  /// - Complexity: Expected O(number of the places).
  @inlinable
  func places(of element: ListElementID) -> ElementPlaces {
    var places = ElementPlaces(rows: dots(of: Key(placeOf: element)))
    if isLivingPlace(element.dot) {
      // While it stands where it was inserted, rows that say otherwise are forged.
      places.shown = element.dot
      places.living = [element.dot]
      return places
    }
    var isRemoved = false
    for dot in places.rows {
      guard let payload = row(at: dot)?.payload else { continue }
      if payload.isRemoval { isRemoved = true }
      let place = Dot(dot.replica, dot.counter &- 1)
      if payload.isPlace, isLivingPlace(place) { places.living.append(place) }
    }
    places.shown = isRemoved ? nil : places.living.last
    return places
  }

  /// Returns the element that a living place belongs to.
  ///
  /// - Complexity: O(log n).
  @inlinable
  func element(at place: Dot) -> ListElementID {
    guard let row = row(at: Dot(place.replica, place.counter &+ 1)), row.key.isPlace,
      row.payload.isPlace, !isLivingPlace(row.key.element.dot)
    else { return ListElementID(place) }
    return row.key.element
  }

  @usableFromInline
  func isLivingPlace(_ dot: Dot) -> Bool {
    textElement(at: dot).map { !$0.page.dead[$0.slot] } ?? false
  }

  /// The living places that are hidden, in order, each by the number of living places before
  /// it.
  ///
  /// - Complexity: O(s · log n) for s rows that were written while others wrote rows with the
  ///   same keys, and that nobody has replaced since.
  @inlinable
  var hiddenPlaces: HiddenPlaces {
    let twins = shadowedDots()
    if twins.isEmpty { return HiddenPlaces() }
    var isHandled: Set<ListElementID> = []
    var hidden: ContiguousArray<Dot> = []
    for twin in twins {
      guard let key = row(at: twin)?.key, key.isPlace, isHandled.insert(key.element).inserted
      else { continue }
      let places = places(of: key.element)
      for place in places.living where place != places.shown { hidden.append(place) }
    }
    return hidden.isEmpty ? HiddenPlaces() : HiddenPlaces(hidden.compactMap(rank).sorted())
  }

  /// The number of living places.
  @usableFromInline
  var livingPlaceCount: Int { withOrder { $0.tree.size.scalars } }

  /// Returns the living place before which there is a number of others.
  @usableFromInline
  func place(_ rank: Int) -> Dot? {
    withOrder { order in
      order.location(of: rank, in: .scalars, self).map { order.dot($0.element) }
    }
  }

  /// Returns the number of living places before one.
  @usableFromInline
  func rank(of place: Dot) -> Int? {
    withOrder { $0.size(before: place, in: self)?.scalars }
  }

  /// Makes new places before the living one with a rank.
  @usableFromInline
  mutating func insertPlaces(_ count: Int, at rank: Int, by replica: ReplicaID) {
    // What stands there has no meaning; only a hostile peer's take more than a byte.
    let offset = withOrder { order in
      order.tree.size.utf8 == order.tree.size.scalars
        ? rank : order.location(of: rank, in: .scalars, texts)?.before ?? order.tree.size.utf8
    }
    insertText(String(repeating: " ", count: count), at: offset, by: replica)
  }

  /// The places at which elements stand, in order.
  ///
  /// - Complexity: O(n).
  @usableFromInline
  func shownPlaces(_ hidden: HiddenPlaces) -> ContiguousArray<Dot> {
    withOrder { order in
      var places: ContiguousArray<Dot> = []
      places.reserveCapacity(order.tree.size.scalars)
      var (rank, next) = (0, 0)
      order.tree.forEachSpan { span in
        guard !span.isDead else { return }
        let first = order.dot(span.first)
        for step in 0..<UInt64(span.count) {
          if next < hidden.ranks.count, hidden.ranks[next] == rank {
            next += 1
          } else {
            places.append(Dot(first.replica, first.counter &+ step))
          }
          rank += 1
        }
      }
      return places
    }
  }
}

/// The ranks of hidden places among the living places of a list, in ascending order.
@frozen
@usableFromInline
struct HiddenPlaces: Sendable {
  @usableFromInline let ranks: [Int]

  @inlinable
  init(_ ranks: [Int] = []) {
    self.ranks = ranks
  }

  /// Returns the rank of the place where the element with an index stands.
  @inlinable
  func rank(of index: Int) -> Int {
    index + ranks.indices.partitioningIndex { ranks[$0] - $0 > index }
  }

  /// Returns the index of the element that stands at the place with a rank.
  @inlinable
  func index(of rank: Int) -> Int {
    rank - ranks.indices.partitioningIndex { ranks[$0] >= rank }
  }
}
