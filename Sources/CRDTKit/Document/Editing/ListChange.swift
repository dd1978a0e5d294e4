/// How an array becomes another one, in terms of a list's elements.
struct ListChange {
  /// Where an element of the new array comes from.
  struct Source {
    /// Its number among the list's elements; `nil` if it is not there.
    var element: Int?
    /// Its value in the base; `nil` if it is new.
    var old: Document.Value?
    var isMoved = false
  }

  /// The elements of the list.
  var elements: [Document.Editor.ListElement]
  /// The source of each element of the new array.
  private(set) var sources: [Source] = []
  /// The elements that are not in the new array.
  private(set) var removed: [Document.Editor.ListElement] = []

  init(
    from base: [Document.Value], to values: [Document.Value],
    over elements: [Document.Editor.ListElement]
  ) {
    self.elements = elements
    let present = elements.map(\.value)
    // The number of the list's element that each of the base has become.
    var numbers = [Int?](repeating: nil, count: base.count)
    if base == present {
      for number in base.indices { numbers[number] = number }
    } else {
      for (number, source) in base.sources(ofListNow: present).enumerated() {
        if let index = source.index { numbers[index] = number }
      }
    }
    var isKept = [Bool](repeating: false, count: elements.count)
    var places: [Document.Value.Identity: Int] = [:]
    let matched = Set(numbers.compactMap { $0 })
    for (number, value) in present.enumerated() where !matched.contains(number) {
      if case .id = value.identity { places[value.identity] = number }
    }
    var isOld = [Bool](repeating: false, count: base.count)
    for (value, source) in zip(values, base.sources(ofListNow: values)) {
      var found = Source()
      if let index = source.index {
        isOld[index] = true
        found = Source(element: numbers[index], old: base[index], isMoved: source.isMoved)
      } else if case .id = value.identity {
        // Others may have inserted the same element.
        found.element = places[value.identity]
      }
      if let number = found.element {
        if isKept[number] { found.element = nil } else { isKept[number] = true }
      }
      sources.append(found)
    }
    for index in base.indices where !isOld[index] {
      if let number = numbers[index], !isKept[number] { removed.append(elements[number]) }
    }
  }
}

/// Gives names to the elements of a list.
struct ListNames {
  private var taken: Set<String>
  /// The number of equal values so far.
  private var counts: [Document.Value: Int] = [:]

  init(taken: [String] = []) {
    self.taken = Set(taken)
  }

  /// A name that follows from the value and the equal ones before, so that others give the
  /// same element the same one.
  mutating func shared(for value: Document.Value) -> String {
    if let name = named(by: value) { return name }
    let digest = String(value._fingerprint, radix: 16)
    while true {
      counts[value, default: 0] += 1
      let name = "\(digest)-\(counts[value] ?? 0)"
      if taken.insert(name).inserted { return name }
    }
  }

  /// A name that no other element has: that of an event and its time, unless the value has its
  /// own.
  mutating func own(for value: Document.Value, _ event: Dot, at time: UInt64) -> String {
    if let name = named(by: value) { return name }
    let name = "\(event).\(String(time, radix: 16))"
    return taken.insert(name).inserted ? name : shared(for: value)
  }

  private mutating func named(by value: Document.Value) -> String? {
    guard let name = value.elementName else { return nil }
    return !name.isEmpty && !name.isLongName && taken.insert(name).inserted ? name : nil
  }
}

extension Document.Value {
  /// What distinguishes an element of a list from others.
  enum Identity: Hashable {
    /// The field `id` of an object.
    case id(Document.Value)
    /// The value itself.
    case content(Document.Value)
  }

  /// What distinguishes the value from others in a list.
  var identity: Identity {
    guard case .object(let fields) = self, let id = fields["id"] else { return .content(self) }
    switch id {
    case .string, .int: return .id(id)
    default: return .content(self)
    }
  }

  /// The name that an element of a list has by its field `id`; `nil` if it has none.
  var elementName: String? {
    guard case .id(let id) = identity else { return nil }
    switch id {
    case .string(let text): return text
    case .int(let number): return number.description
    default: return nil
    }
  }
}

extension [Document.Value] {
  /// Those that have no equal, or none with the same `id`, among others.
  func missing(in others: [Document.Value]) -> [Document.Value] {
    var known: [Document.Value.Identity: Int] = [:]
    for value in others { known[value.identity, default: 0] += 1 }
    return filter { value in
      guard let count = known[value.identity], count > 0 else { return true }
      known[value.identity] = count - 1
      return false
    }
  }

  /// Where the elements of a later array come from in this one.
  ///
  /// An element with an `id` is never another one's successor.
  func sources(
    ofListNow values: [Document.Value]
  ) -> [ListDifference<Document.Value.Identity>.Source] {
    let difference = ListDifference(
      from: map { Optional($0.identity) }, to: values.map(\.identity))
    return zip(values, difference.sources).map { value, source in
      guard case .written(let index) = source else { return source }
      guard case .content = value.identity, case .content = self[index].identity else {
        return .inserted
      }
      return source
    }
  }
}

extension ListDifference.Source {
  /// The index in the old array; `nil` for what was inserted.
  var index: Int? {
    switch self {
    case .kept(let index), .moved(let index), .written(let index): index
    case .inserted: nil
    }
  }

  var isMoved: Bool {
    if case .moved = self { true } else { false }
  }
}
