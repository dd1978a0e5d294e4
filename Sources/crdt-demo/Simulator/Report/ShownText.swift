import Toolkit

/// A text on a page, in the colours of its authors.
struct ShownText: Equatable {
  /// Some text by one replica; `nil` where nobody knows by which.
  struct Part: Equatable {
    var place: Int?
    var text: String
  }

  /// How many colours there are; more replicas than that share some.
  static let coloursMax = 10

  private(set) var parts: [Part] = []

  /// The parts of a text, if a trace says who wrote them; what it says nothing of is by nobody
  /// known.
  init?(_ text: String, by authors: String?) {
    guard let authors = authors.flatMap(TextAuthors.init) else { return nil }
    var rest = text.unicodeScalars.prefix(WrittenText.scalarsMax + 1)
    for part in authors.parts where !rest.isEmpty {
      add(rest.prefix(part.count), by: part.place)
      rest = rest.dropFirst(part.count)
    }
    if !rest.isEmpty { add(rest, by: nil) }
  }

  /// Adds scalars, of which lines end as they do, and what else doesn't show is escaped.
  private mutating func add(_ scalars: Substring.UnicodeScalarView, by place: Int?) {
    let lines = Substring(scalars).unicodeScalars.split(
      separator: "\n", omittingEmptySubsequences: false)
    let text = lines.map { String(Substring($0)).clipped(to: .max) }.joined(separator: "\n")
    if let last = parts.indices.last, parts[last].place == place {
      parts[last].text += text
    } else {
      parts.append(Part(place: place, text: text))
    }
  }

  /// What it takes of a page, about, in bytes.
  var size: Int { parts.reduce(0) { $0 + $1.text.utf8.count + 8 } }

  /// The form in which the page's script has it: places and texts in turn, -1 for nobody.
  var json: JSONValue {
    .array(parts.flatMap { [.integer($0.place ?? -1), .string($0.text)] })
  }

  var html: String {
    let parts = parts.map { part in
      let lines = part.text.split(separator: "\n", omittingEmptySubsequences: false)
      let text = lines.map { HTML.escaped(String($0)) }.joined(separator: "\n")
      return "<span class=\"\(Self.style(of: part.place))\" title=\"\(Self.name(of: part.place))\">"
        + "\(text)</span>"
    }
    return "<p class=\"text\">\(parts.joined())</p>"
  }

  /// The classes of a part in the style sheet.
  static func style(of place: Int?) -> String {
    place.map { "by a\($0 % coloursMax)" } ?? "by"
  }

  static func name(of place: Int?) -> String { place.map { "replica \($0 + 1)" } ?? "unknown" }
}
