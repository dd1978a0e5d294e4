extension Document {
  /// Finds fields as they are read, where many are looked for: each place on the way is looked
  /// at once.
  struct ShownPlaces {
    let document: Document
    private var known: [Place: (isShown: Bool, rules: RuleTree?)] = [:]

    init(document: Document) {
      self.document = document
    }

    /// The field of a row, if the record is there and all on the way show objects.
    mutating func target(of key: RowKey) -> Editor.Target? {
      guard let name = key.fieldName else { return nil }
      let (isShown, rules) = look(at: key.place)
      return isShown
        ? Editor.Target(place: key.place, name: name, rules: rules?.beneath(name)) : nil
    }

    private mutating func look(at place: Place) -> (isShown: Bool, rules: RuleTree?) {
      if let found = known[place] { return found }
      var found = (isShown: false, rules: document.rules(of: place.collection))
      if let parent = place.parent {
        let (isShown, rules) = look(at: parent)
        let target = Editor.Target(
          place: parent, name: place.name, rules: rules?.beneath(place.name))
        found.rules = target.rules
        if isShown, case .object? = document.rows(of: target).shown(under: target.rule) {
          found.isShown = true
        }
      } else {
        found.isShown = document.isPresent(place)
      }
      known[place] = found
      return found
    }
  }
}
