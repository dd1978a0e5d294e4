extension Document {
  /// How many fields a record has, those within objects not counted; 0 where there
  /// is no record.
  ///
  /// - Complexity: O(rows of the record), without reading what they hold; where
  ///   several replicas wrote them, also expected O(fields of the document with
  ///   concurrent values), and once O(rows) that were taken in since the last look.
  public func fieldCount(of record: String, in collection: String) -> Int {
    let place = Place(record: record, in: collection)
    guard isPresent(place) else { return 0 }
    let dots = table.dots(under: place.hash) { $0.place == place && $0.fieldName != nil }
    // Rows of a counter that was removed show nothing, and are few.
    var hidden: Set<RowKey> = []
    for dot in dots {
      guard let row = table.row(at: dot), case .counter(let counter) = row.payload.content,
        !counter.isTotal
      else { continue }
      hidden.insert(row.key)
    }
    let rules = rules(of: collection)
    hidden = hidden.filter { key in
      guard let name = key.fieldName else { return false }
      let target = Editor.Target(place: place, name: name, rules: rules?.beneath(name))
      return rows(of: target).shown(at: target) == nil
    }
    return table.distinctKeyCount(of: dots) - hidden.count
  }
}
