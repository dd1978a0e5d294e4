import CRDTKit

extension StoreCore {
  /// The document that the store has a copy of; the monitor is held.
  ///
  /// It is open as long as the store has seen no event, unless somebody has said which
  /// document it is: then it takes that of the first peer or relay that it meets.
  var ownDocument: DocumentIdentity? {
    guard var document = identity.document else { return nil }
    document.isOpen = document.isOpen && working.version.isEmpty
    return document
  }

  /// Goes on as a copy of a document; the monitor is held.
  ///
  /// The note stands in the log before all that is taken in of that document, so no crash
  /// leaves the one without the other.
  func become(_ document: DocumentIdentity?) {
    guard document != ownDocument, log != nil, failure == nil, !isClosing else { return }
    identity.document = document
    batch.add(.document(document))
    appended += 1
  }

  /// Settles of which document the store is, after greetings were exchanged.
  ///
  /// - Throws: `SyncFailure.differentDocument` where the peer has a copy of another one.
  func meet(
    _ peer: DocumentIdentity?, greetedAs greeting: DocumentIdentity?
  ) throws(SyncFailure) {
    try monitor.withLock { () throws(SyncFailure) in
      become(try DocumentIdentity.meeting(ownDocument, greetedAs: greeting, peer))
    }
  }

  /// Settles of which document the store is, where a relay's folder has files of some: of
  /// its own if there are any, else of those that are there if it is open; gives it.
  ///
  /// - Throws: ``StoreError/severalDocuments(path:found:)`` where it would have to choose.
  func settle(
    among found: Set<DocumentIdentity>, at path: String
  ) throws(StoreError) -> DocumentIdentity? {
    try monitor.withLock { () throws(StoreError) in
      let groups = found.joiningSame()
      let own = ownDocument
      if let own, groups.contains(where: own.isSame) {
        become(groups.filter(own.isSame).reduce(own) { $0.joined(with: $1) }.settled)
      } else if own?.isOpen ?? true, let group = groups.first {
        guard groups.count == 1 else {
          throw .severalDocuments(path: path, found: groups.map(\.id))
        }
        become(.taking(group, for: own))
      }
      return ownDocument
    }
  }

  /// Has the store be of the document that its options say.
  ///
  /// - Throws: ``StoreError/otherDocument(path:found:expected:)`` where it is another's.
  func checkDocument() throws(StoreError) {
    guard let wanted = options.documentID else { return }
    try monitor.withLock { () throws(StoreError) in
      let own = ownDocument
      guard let own, !own.isOpen else { return become(DocumentIdentity(wanted)) }
      guard own.ids.contains(wanted) else {
        throw .otherDocument(path: path, found: own.id, expected: wanted)
      }
    }
  }

  /// Makes the store's document and another one the same; gives the commit to wait for.
  func join(_ document: DocumentID) throws(StoreError) -> UInt64 {
    try monitor.withLock { () throws(StoreError) in
      try checkWritable()
      let (own, other) = (ownDocument, DocumentIdentity(document))
      become(own?.isOpen ?? true ? .taking(other, for: own) : own?.joined(with: other))
      return appended
    }
  }
}

extension Set<DocumentIdentity> {
  /// The documents that these are of, in ascending order.
  fileprivate func joiningSame() -> [DocumentIdentity] {
    var groups: [DocumentIdentity] = []
    for identity in sorted(by: { $0.id < $1.id }) {
      let same = groups.filter(identity.isSame)
      groups.removeAll { identity.isSame(as: $0) }
      groups.append(same.reduce(identity) { $0.joined(with: $1) })
    }
    return groups.sorted { $0.id < $1.id }
  }
}
