import CRDTKit

/// A node that keeps all objects in one of CRDTKit's maps, with one session a
/// neighbour.
struct RetwisSessionNode: RetwisNode {
  typealias Message = SessionFrame
  typealias Value = MergeMap<RetwisKey, MVRegister<RetwisText>>

  private let replica: ReplicaID
  private var value = Value()
  private var links: SessionLinks<Value>
  /// The program's own index of whom a post goes to.
  private var followers: [Int: NumberSet] = [:]

  init(node: Int, neighbours: [Int], nodeCount: Int, settings: Void) {
    replica = ReplicaID(ExperimentMessageFormat.identifier(of: node))
    links = SessionLinks(replica: replica, neighbours: neighbours)
  }

  mutating func start(_ box: inout MessageBox<Message>) {
    links.connect(value, &box)
  }

  mutating func perform(_ operation: RetwisOperation) {
    switch operation {
    case .follow(let user, let followed):
      guard followers[followed]?.contains(user) != true else { return }
      followers[followed, default: NumberSet()].insert(user)
      write([(RetwisKey(object: .followers, user: followed, number: user), .empty)])
    case .post(let user, let number):
      let content = RetwisText(number, of: RetwisObject.contentLength)
      let identifier = RetwisText(number, of: RetwisObject.identifierLength)
      var rows = [(RetwisKey(object: .posts, user: user, number: number), content)]
      for follower in followers[user]?.numbers ?? [] {
        rows.append((RetwisKey(object: .timeline, user: follower, number: number), identifier))
      }
      write(rows)
    case .read: break
    }
  }

  private mutating func write(_ rows: [(key: RetwisKey, text: RetwisText)]) {
    value.edit(by: replica) { editor in
      for row in rows { editor.update(row.key) { $0.set(row.text) } }
    }
  }

  mutating func synchronize(_ box: inout MessageBox<Message>) {
    links.flush(value, &box)
  }

  mutating func receive(_ message: Message, from node: Int, _ box: inout MessageBox<Message>) {
    for delta in links.receive(message, from: node, into: &value, &box) {
      for column in delta.changes.columns {
        column.forEachRow { _, row in
          let key = row.key.outer
          guard key.object == .followers else { return }
          followers[key.user, default: NumberSet()].insert(key.number)
        }
      }
    }
  }

  static func cost(of message: Message) -> ExperimentCost { message.cost }

  var digest: UInt64 {
    var digest: UInt64 = 0
    value._table.forEachRow { _, row in
      let key = row.key.outer
      let object = RetwisMessage.object(key.object, of: key.user)
      digest &+= Fingerprint.of(UInt64(object) << 32 | UInt64(key.number))
    }
    return digest
  }

  var elementCount: Int { value._table.rowCount }
}
