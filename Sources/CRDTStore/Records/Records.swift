import CRDTKit

extension Store {
  /// Records of a model, in the order of the bytes of their names.
  ///
  /// It is a collection with value semantics that is cheap to copy and to change. Copies
  /// share what they have in common, so one that differs by a record costs one record and not
  /// all.
  public struct Records<Model: Replicated>: Sendable {
    /// The records in short stretches, none of which is empty.
    private var stretches: ContiguousArray<Stretch> = []
    /// How many records there are before each stretch.
    private var starts: ContiguousArray<Int> = []
    /// The number of records.
    public private(set) var count = 0
    /// The names of records whose fields don't fit the type.
    ///
    /// Such records are left out: an older or newer version of the app wrote them.
    public internal(set) var unreadable: Set<String> = []
    /// Why there are no records, if the store was not opened for the model.
    public private(set) var error: RecordError?
    /// The names that may have more than one spelling, as they are spelled here.
    private var spellings: Set<String> = []

    /// Some records, which are never changed.
    private final class Stretch: Sendable {
      let names: ContiguousArray<String>
      let models: ContiguousArray<Model>

      init(_ names: ContiguousArray<String>, _ models: ContiguousArray<Model>) {
        self.names = names
        self.models = models
      }
    }

    /// The maximum number of records in a stretch.
    private static var stretchMax: Int { 128 }

    init() {}

    init(_ error: RecordError) {
      self.error = error
    }

    /// Collects records whose names are in order.
    init(names: [String], models: [Model], _ unreadable: Set<String> = []) {
      self.unreadable = unreadable
      count = names.count
      spellings = Set(names.lazy.filter(\.hasSpellings))
      for start in stride(from: 0, to: count, by: Self.stretchMax / 2) {
        let end = Swift.min(start + Self.stretchMax / 2, count)
        starts.append(start)
        stretches.append(
          Stretch(ContiguousArray(names[start..<end]), ContiguousArray(models[start..<end])))
      }
    }
  }
}

extension Store.Records {
  /// The stretch that has a name, or would have it.
  private func stretch(of name: String) -> Int {
    let next = stretches.indices.partitioningIndex { name.comes(before: stretches[$0].names[0]) }
    return Swift.max(0, next - 1)
  }

  /// The index of a name in a stretch, or the one it would have.
  private func place(of name: String, in stretch: Stretch) -> (place: Int, isThere: Bool) {
    let names = stretch.names
    let place = names.indices.partitioningIndex { !names[$0].comes(before: name) }
    return (place, place < names.count && !name.comes(before: names[place]))
  }

  /// The record with an identifier; `nil` if it isn't among these.
  ///
  /// - Complexity: O(log n)
  public subscript(id id: Model.ID) -> Model? {
    guard !stretches.isEmpty else { return nil }
    let name = spelling(of: "\(id)")
    let stretch = stretches[stretch(of: name)]
    let (place, isThere) = place(of: name, in: stretch)
    return isThere ? stretch.models[place] : nil
  }

  /// A name as it is spelled here, if it is here.
  private func spelling(of name: String) -> String {
    guard name.hasSpellings, let place = spellings.firstIndex(of: name) else { return name }
    return spellings[place]
  }

  /// Inserts a record in place of the one with its name, or removes it; returns whether
  /// there is a difference to report.
  @discardableResult
  mutating func set(_ model: Model?, for name: String) -> Bool {
    guard !stretches.isEmpty else {
      if let model { self = Self(names: [name], models: [model], unreadable) }
      return model != nil
    }
    let name = spelling(of: name)
    let number = stretch(of: name)
    let old = stretches[number]
    let (place, isThere) = place(of: name, in: old)
    guard isThere || model != nil else { return false }
    if name.hasSpellings {
      if model == nil { spellings.remove(name) } else { spellings.insert(name) }
    }
    var (names, models) = (old.names, old.models)
    switch (model, isThere) {
    case (let model?, true): models[place] = model
    case (let model?, false):
      names.insert(name, at: place)
      models.insert(model, at: place)
    case (nil, _):
      names.remove(at: place)
      models.remove(at: place)
    }
    replace(number, names, models)
    return true
  }

  private mutating func replace(
    _ number: Int, _ names: ContiguousArray<String>, _ models: ContiguousArray<Model>
  ) {
    let difference = names.count - stretches[number].names.count
    count += difference
    if names.isEmpty {
      stretches.remove(at: number)
      starts.remove(at: number)
    } else if names.count > Self.stretchMax {
      let half = names.count / 2
      stretches[number] = Stretch(
        ContiguousArray(names[..<half]), ContiguousArray(models[..<half]))
      stretches.insert(
        Stretch(ContiguousArray(names[half...]), ContiguousArray(models[half...])),
        at: number + 1)
      starts.insert(starts[number] + half, at: number + 1)
      for later in starts.indices.dropFirst(number + 2) { starts[later] += difference }
      return
    } else {
      stretches[number] = Stretch(names, models)
    }
    guard difference != 0 else { return }
    let first = names.isEmpty ? number : number + 1
    for later in starts.indices.dropFirst(first) { starts[later] += difference }
  }
}

extension String {
  /// Whether there may be equal strings with other bytes.
  fileprivate var hasSpellings: Bool { utf8.contains { $0 >= 0x80 } }
}

extension Store.Records: RandomAccessCollection {
  /// The index of the first record.
  public var startIndex: Int { 0 }

  /// The index after the last record.
  public var endIndex: Int { count }

  /// The record at an index.
  ///
  /// - Complexity: O(log n)
  public subscript(position: Int) -> Model {
    precondition(position >= 0 && position < count, "there is no record at \(position)")
    let stretch = starts.indices.partitioningIndex { starts[$0] > position } - 1
    return stretches[stretch].models[position - starts[stretch]]
  }
}

extension Store.Records: Equatable where Model: Equatable {
  /// Whether both have equal records.
  public static func == (left: Self, right: Self) -> Bool {
    left.elementsEqual(right)
  }
}

extension Store.Records: CustomStringConvertible {
  /// The records, described like an array of them.
  public var description: String { Array(self).description }
}
