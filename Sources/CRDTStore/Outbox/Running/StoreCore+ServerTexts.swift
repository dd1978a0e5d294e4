import CRDTKit

extension StoreCore {
  /// The rules of a collection whose texts and lists are sent as edits; `nil` of others.
  private func editedRules(of collection: String) -> Schema.Collection? {
    guard options.models[collection]?.access == .queuedAsEdits else { return nil }
    return working.document.schema.collections[collection]
  }

  /// The texts and lists in a server's record.
  func texts(of server: Outbox.ServerRecord) -> ServerTexts {
    guard !server.isDeleted, let rules = editedRules(of: server.record.collection) else {
      return ServerTexts()
    }
    return ServerTexts(server.fields, under: rules)
  }

  /// The texts and lists that the server has after it has applied an operation.
  ///
  /// They are those of the version that it gives. Without a version, or if the operation was
  /// based on another one than is known, nothing is known but what the operation has written.
  ///
  /// Don't ask it for an operation that may have been a dead letter. The server may have done it
  /// before, when it had other contents, and repeat its answer now.
  func texts(
    after operation: Outbox.Operation, since known: ServerVersions.Entry?, _ version: String?
  ) -> ServerTexts {
    guard let rules = editedRules(of: operation.record.collection), version != nil else {
      return ServerTexts()
    }
    var texts = ServerTexts()
    if let known, !known.isDeleted, operation.kind == .update, let base = operation.baseVersion,
      known.version == base
    {
      texts = known.texts
    }
    texts.note(operation.changes, under: rules)
    return texts
  }

  /// The texts and lists that the server has in the version that an operation is based on; `nil`
  /// if they are not known, or the operation has to send the whole.
  func texts(under operation: Outbox.Operation) -> ServerTexts? {
    guard operation.kind == .update, operation.baseVersion != nil,
      editedRules(of: operation.record.collection) != nil,
      let known = serverVersions[operation.record], !known.isDeleted,
      known.version == operation.baseVersion, !known.texts.isEmpty
    else { return nil }
    return known.texts
  }
}

extension StoreCore {
  /// Removes from texts what both this store and a peer had received from the server before
  /// they met: of the records that a delta has changed, or of all if these are unknown.
  ///
  /// What can't be removed now is looked for again after the next delta. The monitor is held.
  func removeRepeats(in changed: Set<Document.RecordID>?) {
    let collections = working.document.schema.collections.filter { name, rules in
      options.models[name]?.access.tellsServer == true && rules.fields.values.contains(.text)
    }
    if collections.isEmpty { return }
    let records =
      changed?.filter { collections[$0.collection] != nil }.sorted()
      ?? collections.keys.sorted().flatMap { name in
        working.document.records(in: name).map { Document.RecordID($0, in: name) }
      }
    if records.isEmpty { return }
    let authority = options.authority
    _ = try? editLocked(.relaxed, as: authority.delegate(for: identity.replica)) { editor in
      for record in records {
        editor.removeRepeats(of: authority, in: record.record, of: record.collection)
      }
    }
  }
}
