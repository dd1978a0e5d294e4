import CRDTKit

extension StoreCore {
  /// Whether a collection's texts and lists are sent as edits.
  private func sendsEdits(of collection: String) -> Bool {
    options.models[collection]?.access == .queuedAsEdits
  }

  /// The rules of a collection by which the texts and lists are kept that its server has.
  private func textRules(of collection: String) -> Schema.Collection? {
    guard options.models[collection]?.access.tellsServer == true,
      var rules = working.document.schema.collections[collection]
    else { return nil }
    if !sendsEdits(of: collection) { rules.fields = rules.fields.filter { $0.value == .text } }
    return rules.fields.isEmpty ? nil : rules
  }

  /// The texts and lists in a server's record.
  func texts(of server: Outbox.ServerRecord) -> ServerTexts {
    let collection = server.record.collection
    guard !server.isDeleted, let rules = textRules(of: collection) else { return ServerTexts() }
    var texts = ServerTexts(server.fields, under: rules)
    texts.areOfVersion = sendsEdits(of: collection)
    return texts
  }

  /// The texts and lists that the server has after it has applied an operation.
  ///
  /// If edits are sent, they are those of the version that it gives. Without a version, or if the
  /// operation was based on another one than is known, nothing is known but what the operation
  /// has written.
  ///
  /// Don't ask it for an operation that may have been a dead letter. The server may have done it
  /// before, when it had other contents, and repeat its answer now.
  func texts(
    after operation: Outbox.Operation, since known: ServerVersions.Entry?, _ version: String?
  ) -> ServerTexts {
    let collection = operation.record.collection
    guard let rules = textRules(of: collection) else { return ServerTexts() }
    var texts = ServerTexts()
    if sendsEdits(of: collection) {
      if version == nil { return texts }
      if let known, !known.isDeleted, operation.kind == .update,
        let base = operation.baseVersion, known.version == base, known.texts.areOfVersion
      {
        texts = known.texts
      }
    } else {
      if let known, !known.isDeleted, operation.kind == .update { texts = known.texts }
      texts.areOfVersion = false
    }
    texts.note(operation.changes, under: rules)
    return texts
  }

  /// The texts and lists that the server has in the version that an operation is based on; `nil`
  /// if they are not known, or the operation has to send the whole.
  func texts(under operation: Outbox.Operation) -> ServerTexts? {
    guard operation.kind == .update, operation.baseVersion != nil,
      sendsEdits(of: operation.record.collection),
      let known = serverVersions[operation.record], !known.isDeleted,
      known.version == operation.baseVersion, known.texts.areOfVersion, !known.texts.isEmpty
    else { return nil }
    return known.texts
  }
}

extension StoreCore {
  /// Removes from texts what both this store and a peer had received from the server before
  /// they met.
  ///
  /// It is in one batch with the deltas, so a crash can't come between. What can't be removed now
  /// is looked for again when a delta changes the text.
  ///
  /// The monitor is held, and has been since the deltas were added.
  func removeRepeats(upon deltas: [TableDelta<Document>]) {
    guard options.models.hasServer else { return }
    let records = deltas.reduce(into: Set<Document.RecordID>()) { records, delta in
      records.formUnion(Document.recordsWithAuthorityTexts(in: delta))
    }
    let told = records.filter { options.models[$0.collection]?.access.tellsServer == true }
    if told.isEmpty { return }
    let authority = options.authority
    _ = try? editLocked(.relaxed, as: authority.delegate(for: identity.replica)) { editor in
      for record in told.sorted() {
        editor.removeRepeats(of: authority, in: record.record, of: record.collection)
      }
    }
  }
}
