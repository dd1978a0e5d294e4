/// The name of a dictionary's entry, in a coding path.
struct EntryKey: CodingKey {
  let stringValue: String

  init(stringValue: String) { self.stringValue = stringValue }

  var intValue: Int? { Int(stringValue) }
  init?(intValue: Int) { self.init(stringValue: String(intValue)) }
}
