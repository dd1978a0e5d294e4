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
    _table.insertMarkedText(string, at: checked(index), OnlyTextMarks(), by: replica)
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
    _table.removeText(checked(range), by: replica)
  }

  /// Replaces the characters between two positions on behalf of a replica.
  ///
  /// - Precondition: The indices are of this text in its present state.
  /// - Complexity: As ``removeSubrange(_:by:)`` and ``insert(_:at:by:)``.
  public mutating func replaceSubrange(
    _ range: Range<Index>, with string: String, by replica: ReplicaID
  ) {
    _table.replaceMarkedText(checked(range), with: string, OnlyTextMarks(), by: replica)
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
    _table.setMarkedText(to: string, OnlyTextMarks(), by: replica)
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
    table.table.insertMarkedText(string, at: offset, OnlyTextMarks(), by: replica)
  }

  /// Adds a string at the end.
  public mutating func append(_ string: String) {
    table.table.insertMarkedText(
      string, at: table.table.textRange().upperBound, OnlyTextMarks(), by: replica)
  }

  /// Removes the characters between two positions, in one event.
  public mutating func removeSubrange(_ range: Range<ReplicatedText.Index>) {
    let offsets = table.table.checked(range)
    table.table.removeText(offsets, by: replica)
  }

  /// Replaces the characters between two positions.
  public mutating func replaceSubrange(
    _ range: Range<ReplicatedText.Index>, with string: String
  ) {
    let offsets = table.table.checked(range)
    table.table.replaceMarkedText(offsets, with: string, OnlyTextMarks(), by: replica)
  }

  /// Makes the text equal to a string by small edits.
  public mutating func set(to string: String) {
    table.table.setMarkedText(to: string, OnlyTextMarks(), by: replica)
  }

  var table: TableScope<ReplicatedText.MarkKey, ReplicatedText.MarkRow> {
    // A text is never part of a map, so its scope has a table of its own.
    unsafeDowncast(scope, to: TableScope<ReplicatedText.MarkKey, ReplicatedText.MarkRow>.self)
  }
}
