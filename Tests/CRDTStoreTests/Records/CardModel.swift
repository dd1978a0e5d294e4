import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

/// Cards as a plain dictionary has them.
struct CardModel: Hashable {
  var shared: [String: Card] = [:]
  var local: [String: Card] = [:]
  var deleted: [String: Card] = [:]
  var settings: [String: Int64] = [:]

  /// The cards that are read, by name.
  var cards: [Card] {
    shared.merging(local) { shared, _ in shared }.values.sorted { $0.id < $1.id }
  }

  func card(_ id: String) -> Card? { shared[id] ?? local[id] }
}

/// One thing that a transaction is told to do.
enum CardVerb {
  case create(Card)
  case createLocally(Card)
  case update(String, (Card) -> Card)
  case delete(String)
  case restore(String)
  case publish(String)
  case set(String, Int64?)

  static func random(_ random: inout SeededGenerator) -> CardVerb {
    let id = ["a", "b", "c", "d"].randomElement(using: &random) ?? "a"
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<5:
      var card = Card(id: id)
      for _ in 0..<3 { card.change(&random) }
      return Int.random(in: 0..<3, using: &random) == 0 ? .createLocally(card) : .create(card)
    case 5..<12:
      let seed = random.next()
      return .update(id) { card in
        var (card, random) = (card, SeededGenerator(seed: seed))
        card.change(&random)
        return card
      }
    case 12..<14: return .delete(id)
    case 14..<17: return .restore(id)
    case 17..<19: return .publish(id)
    default:
      let value = Int64.random(in: 0..<4, using: &random)
      return .set(["s", "t"].randomElement(using: &random) ?? "s", value == 0 ? nil : value)
    }
  }

  /// Does it to a model; says whether it could.
  func perform(on model: inout CardModel) -> Bool {
    switch self {
    case .create(let card):
      guard model.card(card.id) == nil else { return false }
      model.share(card)
    case .createLocally(let card):
      guard model.card(card.id) == nil else { return false }
      model.local[card.id] = card
    case .update(let id, let change):
      guard let card = model.card(id) else { return false }
      let updated = card.updated(to: change(card))
      if model.shared[id] != nil { model.shared[id] = updated } else { model.local[id] = updated }
    case .delete(let id):
      guard model.card(id) != nil else { return false }
      if let card = model.shared.removeValue(forKey: id) { model.deleted[id] = card }
      model.local[id] = nil
    case .restore(let id):
      guard model.card(id) == nil, let card = model.deleted[id] else { return false }
      model.share(card)
    case .publish(let id):
      guard model.shared[id] == nil, let card = model.local.removeValue(forKey: id) else {
        return false
      }
      model.share(card)
    case .set(let name, let value): model.settings[name] = value
    }
    return true
  }

  /// Does it in a transaction; says whether it could.
  func perform(in transaction: inout Store.Transaction) throws -> Bool {
    do {
      switch self {
      case .create(let card): try transaction.create(card)
      case .createLocally(let card): try transaction.createLocally(card)
      case .update(let id, let change):
        try transaction.update(Card.self, id) { $0 = change($0) }
      case .delete(let id): try transaction.delete(Card.self, id)
      case .restore(let id): try transaction.restore(Card.self, id)
      case .publish(let id): try transaction.publish(Card.self, id)
      case .set(let name, let value):
        try transaction.set(setting: name, to: value.map { .int($0) })
      }
      return true
    } catch is RecordError {
      return false
    }
  }
}

extension CardVerb: CustomStringConvertible {
  var description: String {
    switch self {
    case .create(let card): "create \(card.id)"
    case .createLocally(let card): "create \(card.id) locally"
    case .update(let id, _): "update \(id)"
    case .delete(let id): "delete \(id)"
    case .restore(let id): "restore \(id)"
    case .publish(let id): "publish \(id)"
    case .set(let name, let value): "set \(name) \(value ?? 0)"
    }
  }
}

extension CardModel {
  fileprivate mutating func share(_ card: Card) {
    shared[card.id] = card
    deleted[card.id] = nil
  }

  /// What is not as a store has it; `nil` if nothing.
  func discrepancy(_ store: Store) -> String? {
    let cards = Array(store.all(Card.self))
    if cards != self.cards { return "it has \(cards), not \(self.cards)" }
    for card in cards where (try? store.get(Card.self, card.id)) != card {
      return "\(card.id) is not got as it is listed"
    }
    let deleted = Array(store.deleted(Card.self))
    let expected = self.deleted.values.sorted { $0.id < $1.id }
    if deleted != expected { return "deleted are \(deleted), not \(expected)" }
    let local = cards.filter { store.status(of: Card.self, $0.id).isLocalOnly }.map(\.id)
    if local != self.local.keys.sorted() { return "local are \(local)" }
    for name in ["s", "t"] where store.setting(name) != settings[name].map({ .int($0) }) {
      return "the setting \(name) is \(String(describing: store.setting(name)))"
    }
    return nil
  }
}
