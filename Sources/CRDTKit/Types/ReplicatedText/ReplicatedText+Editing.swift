extension ReplicatedText {
  /// Creates a text with a first content, written by a replica.
  ///
  /// Create a text once, and send it to the other replicas: a first content that two of
  /// them create stands there twice after the merge.
  public init(_ string: String, by replica: ReplicaID) {
    self.init()
    append(string, by: replica)
  }

  /// Inserts a string at a position on behalf of a replica.
  ///
  /// - Precondition: The index is of this text in its present state.
  /// - Complexity: O(length of the string + log n) for n runs of characters.
  public mutating func insert(_ string: String, at index: Index, by replica: ReplicaID) {
    _table.insert(string, at: checked(index), by: replica)
  }

  /// Adds a string at the end on behalf of a replica.
  ///
  /// - Complexity: As ``insert(_:at:by:)``.
  public mutating func append(_ string: String, by replica: ReplicaID) {
    insert(string, at: endIndex, by: replica)
  }

  /// Removes the characters between two positions on behalf of a replica, in one event.
  ///
  /// - Precondition: The indices are of this text in its present state.
  /// - Complexity: O(m · log n) for n runs of characters, m of them in the range.
  public mutating func removeSubrange(_ range: Range<Index>, by replica: ReplicaID) {
    _table.remove(checked(range), by: replica)
  }

  /// Replaces the characters between two positions on behalf of a replica.
  ///
  /// - Precondition: The indices are of this text in its present state.
  /// - Complexity: As ``removeSubrange(_:by:)`` and ``insert(_:at:by:)``.
  public mutating func replaceSubrange(
    _ range: Range<Index>, with string: String, by replica: ReplicaID
  ) {
    _table.replace(checked(range), with: string, by: replica)
  }

  /// Removes all characters that are seen here, in one event.
  ///
  /// - Complexity: O(n log n) for n runs of characters.
  public mutating func removeAll(by replica: ReplicaID) {
    removeSubrange(startIndex..<endIndex, by: replica)
  }

  /// Makes the text equal to a string by small edits on behalf of a replica.
  ///
  /// What is equal in both stays the same elements: the edits of others in it, and anchors,
  /// keep their places. If nothing differs, it makes no event. What the string lacks is
  /// removed, also what others wrote that you have merged but not shown: if the string comes
  /// from a view, set the copy that the view shows, and merge that.
  ///
  /// - Complexity: O(length of both), with a bound on the search for few edits.
  public mutating func set(to string: String, by replica: ReplicaID) {
    _table.setText(to: string, by: replica)
  }
}

extension Editor where Value == ReplicatedText {
  /// The text, with the changes made so far.
  ///
  /// Its indices can be passed to this editor until the next change. In the body of `edit`,
  /// ask this property for indices, not the variable that is being edited.
  public var text: ReplicatedText {
    ReplicatedText(_table: table.table)
  }

  /// Inserts a string at a position.
  public mutating func insert(_ string: String, at index: ReplicatedText.Index) {
    let offset = table.table.checked(index)
    table.table.insert(string, at: offset, by: replica)
  }

  /// Adds a string at the end.
  public mutating func append(_ string: String) {
    table.table.insert(string, at: table.table.textLength, by: replica)
  }

  /// Removes the characters between two positions, in one event.
  public mutating func removeSubrange(_ range: Range<ReplicatedText.Index>) {
    let offsets = table.table.checked(range)
    table.table.remove(offsets, by: replica)
  }

  /// Replaces the characters between two positions.
  public mutating func replaceSubrange(
    _ range: Range<ReplicatedText.Index>, with string: String
  ) {
    let offsets = table.table.checked(range)
    table.table.replace(offsets, with: string, by: replica)
  }

  /// Makes the text equal to a string by small edits.
  public mutating func set(to string: String) {
    table.table.setText(to: string, by: replica)
  }

  private var table: TableScope<NoPayload, NoPayload> {
    // A text is never part of a map, so its scope has a table of its own.
    unsafeDowncast(scope, to: TableScope<NoPayload, NoPayload>.self)
  }
}

extension DotTable {
  /// The length of the text in UTF-8.
  var textLength: Int { withOrder { $0.tree.size.utf8 } }

  /// The whole text; kept until the next change.
  var textString: String {
    withOrder { order in
      if let string = order.string { return string }
      let string = order.text(in: 0..<order.tree.size.utf8, of: texts)
      order.string = string
      return string
    }
  }

  /// Returns the offset of an index in UTF-8, which must be of the present state.
  func checked(_ index: ReplicatedText.Index) -> Int {
    precondition(
      index.events == eventCount,
      "the index is of another state of the text: make it anew, or keep an anchor")
    return index.offset
  }

  func checked(_ range: Range<ReplicatedText.Index>) -> Range<Int> {
    checked(range.lowerBound)..<checked(range.upperBound)
  }

  /// Inserts a string at an offset in UTF-8, which must be between two scalars.
  mutating func insert(_ string: String, at offset: Int, by replica: ReplicaID) {
    var string = string
    string.withUTF8 { insert($0, at: offset, by: replica) }
  }

  private mutating func insert(
    _ text: UnsafeBufferPointer<UInt8>, at offset: Int, by replica: ReplicaID
  ) {
    guard !text.isEmpty else { return }
    changeText { table, order in
      let anchor = order.anchorOfInsertion(at: offset, in: table.texts)
      table.insert(text, anchor, by: replica, &order)
    }
  }

  /// Removes the elements between two offsets in UTF-8, in one event.
  mutating func remove(_ range: Range<Int>, by replica: ReplicaID) {
    guard !range.isEmpty else { return }
    changeText { table, order in
      var killed: ContiguousArray<(first: TextOrder.Element, count: Int)> = []
      order.forEachPiece(in: range, of: table.texts) { killed.append(($0, $1)) }
      if !killed.isEmpty { table.kill(killed, by: replica, &order) }
    }
  }

  /// Replaces the elements between two offsets in UTF-8.
  ///
  /// The new text stands where the old one began.
  mutating func replace(_ range: Range<Int>, with string: String, by replica: ReplicaID) {
    remove(range, by: replica)
    insert(string, at: range.lowerBound, by: replica)
  }

  /// Makes the text equal to a string.
  mutating func setText(to string: String, by replica: ReplicaID) {
    var old = textString
    var new = string
    let edits = old.withUTF8 { old in
      new.withUTF8 { TextDifference(from: old, to: $0).edits }
    }
    // From the end, so that the offsets of those before stay right.
    for edit in edits.reversed() {
      remove(edit.removed, by: replica)
      new.withUTF8 {
        insert(
          UnsafeBufferPointer(rebasing: $0[edit.inserted]), at: edit.removed.lowerBound,
          by: replica)
      }
    }
  }
}
