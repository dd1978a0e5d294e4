package import CRDTStoreTesting

/// A model that schedules write: names that other operations use, too.
package struct DocumentCard: Codable, Hashable, Sendable {
  package struct Address: Codable, Hashable, Sendable {
    package var x: String
    package var y: Int?
  }

  package var title: String
  package var likes: Int
  package var tags: Set<String>
  package var note: String?
  package var address: Address?
  package var scores: [String: Int]

  private enum CodingKeys: String, CodingKey {
    case title, likes, tags, note, scores
    case address = "a"
  }

  /// A card of a few values, so that cards often agree in some.
  package init(using random: inout SeededGenerator) {
    title = ["one", "two"].randomElement(using: &random) ?? ""
    likes = Int.random(in: 0..<3, using: &random)
    tags = Set(["p", "q", "r"].filter { _ in Bool.random(using: &random) })
    note = Bool.random(using: &random) ? "n" : nil
    if Bool.random(using: &random) {
      address = Address(
        x: ["one", "two"].randomElement(using: &random) ?? "",
        y: Bool.random(using: &random) ? 1 : nil)
    }
    scores = [:]
    for name in ["s", "t"] where Bool.random(using: &random) {
      scores[name] = Int.random(in: 0..<3, using: &random)
    }
  }
}
