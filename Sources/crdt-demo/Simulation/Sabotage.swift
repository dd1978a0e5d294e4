/// A fault of a replica itself, not of its links: for tests that show how a dead,
/// silent or diverging child is reported.
struct Sabotage: Equatable {
  /// What goes wrong.
  enum Kind: UInt8, CaseIterable {
    /// The process ends with status 7.
    case exit
    /// The process ends by SIGKILL.
    case kill
    /// The process stays and says nothing more.
    case hang
    /// The process says something that makes no sense.
    case babble
    /// The process ends in the middle of a message.
    case tear
    /// The replica takes in nothing more, so that it diverges.
    case deaf
    /// The replica goes on under the identifier of another.
    case fork
    /// From that round on, the replica says of operations that they are committed
    /// before they are.
    case boast

    static var names: String { allCases.map { "\($0)" }.joined(separator: ", ") }
  }

  /// The replica's place, from 0.
  var replica: Int
  /// The round in which it happens, from 1.
  var round: Int
  var kind: Kind
}

extension Sabotage: LosslessStringConvertible {
  /// Understands `REPLICA:ROUND:KIND`, replicas counted from 1.
  init?(_ description: String) {
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let number = Int(parts[0]), number >= 1,
      let round = Int(parts[1]), round >= 1,
      let kind = Kind.allCases.first(where: { "\($0)" == parts[2] })
    else { return nil }
    self.init(replica: number - 1, round: round, kind: kind)
  }

  var description: String { "\(replica + 1):\(round):\(kind)" }
}
