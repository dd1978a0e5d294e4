extension Document {
  /// A list of a document, in one of its states: to be shown, and compared with later ones.
  ///
  ///     let tasks = boards.list(of: "tasks", of: "b1", in: "boards")
  ///
  /// To change the list, set the field to an array, or a field of an element by its path.
  public struct List: Hashable, Sendable {
    /// The names of the elements, in order, as paths have them.
    ///
    /// An object with an `id` has that as its name; other elements get a name when they are
    /// inserted.
    public let names: [String]
    /// The elements, in their order.
    public let elements: [Value]
  }

  /// The list of a field; `nil` if the field or the record is absent, or shows no list.
  ///
  /// An array that was written before the field had the rule `list` counts as a list.
  ///
  /// - Complexity: Expected O(1) for each name of the path, and O(n log n) for n rows of the
  ///   list.
  public func list(of path: FieldPath, of record: String, in collection: String) -> List? {
    guard let target = target(of: path, of: record, in: collection) else { return nil }
    let rows = rows(of: target)
    switch rows.shown(at: target) {
    case .list?: break
    case .value(.array)? where target.rule == .list: break
    default: return nil
    }
    let place = target.beneath
    let known = contents(of: place).elements(in: place, under: target.rules)
    var (names, values) = (known.map(\.name), known.map(\.value))
    // The names that such elements get with the next change of the list.
    var given = ListNames(taken: names)
    for value in rows.plainElements(at: target).missing(in: values) {
      names.append(given.shared(for: value))
      values.append(value)
    }
    return List(names: names, elements: values)
  }
}

extension Document.List {
  /// Returns the insertions and removals that turn the elements of an earlier state into those
  /// of this one, by their names.
  ///
  /// An element that was moved is removed and inserted, and the two name each other, as after
  /// `inferringMoves()`. A view applies them to the names that it shows, and shows the elements
  /// of ``edited(since:)`` anew:
  ///
  ///     for change in tasks.changes(since: shown) {
  ///       switch change {
  ///       case .remove(let offset, _, _): rows.remove(at: offset)
  ///       case .insert(let offset, let name, _): rows.insert(row(for: name), at: offset)
  ///       }
  ///     }
  ///     shown = tasks
  ///
  /// - Parameter earlier: What was shown; `nil` if nothing was.
  /// - Returns: The changes of the names; none if the order is the same.
  /// - Complexity: Expected O(n log n) for the elements of both.
  public func changes(since earlier: Document.List?) -> CollectionDifference<String> {
    ListDifference.changes(from: earlier?.names ?? [], to: names)
  }

  /// Returns the names of the elements in an earlier state and this one whose values were
  /// changed, in order.
  ///
  /// Values are compared by `==`, which is the same for two spellings of a text. Elements that
  /// were inserted since aren't among them.
  ///
  /// - Parameter earlier: What was shown; `nil` if nothing was.
  /// - Returns: The names.
  /// - Complexity: Expected O(size of both).
  public func edited(since earlier: Document.List?) -> [String] {
    guard let earlier else { return [] }
    let known = Dictionary(zip(earlier.names, earlier.elements)) { $1 }
    return zip(names, elements).compactMap { name, value in
      known[name].map { $0 != value } == true ? name : nil
    }
  }
}
