/// The place of an array's element, in a coding path.
struct ElementKey: CodingKey {
  let place: Int

  init(_ place: Int) { self.place = place }

  var intValue: Int? { place }
  init?(intValue: Int) { self.init(intValue) }

  var stringValue: String { String(place) }
  init?(stringValue: String) {
    guard let place = Int(stringValue) else { return nil }
    self.init(place)
  }
}
