import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

/// A model with a field of every rule and most shapes.
struct Card: Codable, Identifiable, Sendable, Hashable {
  var id: String
  var title = ""
  var body = ""
  var color: String?
  var tags: Set<String> = []
  var likes = 0
  var stars: Int?
  var best = 0
  var origin: String?
  var place = Place()
  var scores: [String: Int] = [:]
  var rooms: [String: Place] = [:]
  var mood = Mood.calm
  var shape = Shape.point

  struct Place: Codable, Sendable, Hashable {
    var city = ""
    var floor: Int?
  }

  enum Mood: String, Codable, Sendable, CaseIterable {
    case calm, wild
  }

  enum Shape: Codable, Sendable, Hashable {
    case point
    case circle(radius: Int)
  }
}

extension Card: Replicated {
  static let collection = "cards"
  static let rules = Rules(
    [
      CodingKeys.body: .manual, .tags: .set, .likes: .counter, .stars: .counter, .best: .max,
      .origin: .firstWriterWins,
    ], unique: [.color], indexed: [.title]
  ).with(["scores.*": .counter])

  /// What a card must not be.
  struct Refusal: Error, Hashable {}

  func validate() throws {
    if title == "refused" { throw Refusal() }
  }
}

extension Card {
  /// Changes a field or two.
  mutating func change(_ random: inout SeededGenerator) {
    switch Int.random(in: 0..<14, using: &random) {
    case 0: title = String("abc".randomElement(using: &random) ?? "a")
    case 1: body += "."
    case 2: color = color == nil ? "red" : nil
    case 3: tags.formSymmetricDifference([["x", "y", "z"].randomElement(using: &random) ?? ""])
    case 4: likes += Int.random(in: -3...3, using: &random)
    case 5: stars = stars == nil ? Int.random(in: 1...3, using: &random) : nil
    case 6: best = Int.random(in: 0...9, using: &random)
    case 7: if origin == nil { origin = "o\(random.next() % 8)" }
    case 8: place.city += "!"
    case 9: place.floor = place.floor == nil ? 1 : nil
    case 10:
      let name = ["p", "q"].randomElement(using: &random) ?? ""
      if scores[name] == nil || Bool.random(using: &random) {
        scores[name, default: 0] += 2
      } else {
        scores[name] = nil
      }
    case 11:
      let name = ["r", "s"].randomElement(using: &random) ?? ""
      rooms[name] = rooms[name] == nil ? Place(city: "c", floor: 2) : nil
    case 12: mood = mood == .calm ? .wild : .calm
    default: shape = shape == .point ? .circle(radius: 3) : .point
    }
  }

  /// What becomes of the card when a changed one is written.
  func updated(to card: Card) -> Card {
    var card = card
    card.best = max(best, card.best)
    return card
  }
}

/// Cards as an older version of the app knows them.
struct OldCard: Codable, Identifiable, Sendable, Hashable, Replicated {
  let id: String
  var title: String
  var likes = 0

  static let collection = "cards"
  static let rules = Rules([CodingKeys.likes: .counter])
}

extension TestStores {
  /// Opens a store for cards.
  func openCards(
    _ path: String = "/store", _ change: (inout Store.Options) -> Void = { _ in }
  ) async throws -> Store {
    var options = options
    change(&options)
    return try await Store.open(at: path, for: Card.self, options: options)
  }
}

extension Store {
  /// Takes in all that another store has and this one hasn't.
  func take(from other: Store) async throws {
    _ = try await apply(other.document.delta(since: document.version))
  }

  /// Exchanges all with another store.
  func merge(with other: Store) async throws {
    try await take(from: other)
    try await other.take(from: self)
  }

  /// The record's fields, as the document has them.
  func fields(_ record: String) -> [String: Document.Value]? {
    document.fields(of: record, in: Card.collection)
  }
}

extension Card {
  /// The cards with a title.
  static func titled(
    _ title: Document.Value, where isIncluded: (@Sendable (Card) -> Bool)? = nil
  ) -> Store.Query<Card> {
    Store.Query(CodingKeys.title, equals: title, where: isIncluded)
  }
}
