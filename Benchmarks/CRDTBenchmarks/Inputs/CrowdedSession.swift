import CRDTKit
import CRDTStore

/// Sessions between a document and a store in which many replicas have written.
final class CrowdedSession {
  private var document: Document
  private var session = PeerSession<Document>(replica: .author)
  private let other: OpenStore
  private let otherSession: Store.Session
  private let folder: StoreFolder
  private var edits = 0

  init(replicas: Int) throws {
    document = Self.document(by: 0..<replicas)
    folder = try StoreFolder()
    let store = try folder.open()
    try store.apply(document.delta(since: [:]))
    other = OpenStore(store)
    otherSession = store.session()
    try exchange(session.connect(document), otherSession.connect())
  }

  /// A record by each replica, merged in halves: each edit costs O(number of replicas).
  private static func document(by replicas: Range<Int>) -> Document {
    guard replicas.count > 1 else {
      var document = Document()
      for replica in replicas {
        document.edit(at: .of(ReplicaID(UInt64(1_000 + replica)))) {
          $0.set("f", of: "r\(replica)", in: "c", to: .int(Int64(replica)))
        }
      }
      return document
    }
    let middle = replicas.lowerBound + replicas.count / 2
    var document = self.document(by: replicas.lowerBound..<middle)
    document.merge(self.document(by: middle..<replicas.upperBound))
    return document
  }

  /// Makes a small change, and exchanges bytes until both sides have nothing more to say.
  func changeOnce() throws {
    edits += 1
    document.edit(at: .of(.author, round: edits)) { [edits] in
      $0.set("f", of: "own", in: "c", to: .int(Int64(edits)))
    }
    try exchange(session.flush(document), [])
  }

  private func exchange(
    _ actions: [PeerSession<Document>.Action], _ otherActions: [Store.Session.Action]
  ) throws {
    var (actions, otherActions) = (actions, otherActions)
    while !actions.isEmpty || !otherActions.isEmpty {
      var next: [PeerSession<Document>.Action] = []
      var otherNext: [Store.Session.Action] = []
      for case .send(let bytes) in actions { otherNext += try otherSession.receive(bytes) }
      for case .send(let bytes) in otherActions { next += session.receive(bytes, into: &document) }
      (actions, otherActions) = (next, otherNext)
    }
  }
}
