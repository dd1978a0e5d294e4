import CRDTKit

extension RelayExchange {
  /// Finds the files that are there.
  ///
  /// A file is read once, since it never changes. Files that aren't whole, or aren't a
  /// relay's, are read each time.
  func scan(_ root: RelayFolder, _ report: inout Store.SyncReport) throws(StoreError) {
    var found = RelayCatalogue()
    var firstSealed: String?
    var firstOfSealer: String?
    ownUnsealed = []
    ownNames = []
    var namesOf: [ReplicaID: [String: RelayCatalogue.Entry]] = [:]
    for entry in catalogue.entries.values {
      namesOf[entry.file.key.writer, default: [:]][entry.name] = entry
    }
    for name in try root.names().sorted() where !RelayNames.isPassing(name) {
      guard let replica = RelayNames.replica(name) else {
        report.note(.unknown, at: "\(root.path)/\(name)")
        continue
      }
      let folder: RelayFolder
      do throws(StoreError) { folder = try RelayFolder(name, in: root, creating: false) } catch {
        // A file of somebody else counts as missing. Any other error is thrown: the folder
        // may hold changes that would then be published again in vain.
        if case .notFound = error { continue }
        guard case .system(let cause, let path) = error,
          cause.forbidsWriting || cause.isOtherKind
        else { throw error }
        report.note(.unreadable(cause), at: path)
        continue
      }
      defer { folder.close() }
      let sealed = try scan(
        folder, of: replica, known: namesOf[replica] ?? [:], &found, &report)
      firstSealed = firstSealed ?? sealed
      // The same writer has files that open, so somebody else has put this one beside them.
      if sealed != nil, !found.entries.keys.contains(where: { $0.writer == replica }) {
        firstOfSealer = firstOfSealer ?? sealed
      }
    }
    // If others seal their files, this store must not write unsealed ones, or ones that
    // they can't open: the folder would then mix two kinds of files. But if there are files
    // that open, somebody has put the others beside them.
    if found.entries.isEmpty {
      if try root.isStore() { throw .alreadyExists(path: root.path) }
      if let firstSealed {
        throw options.sealing == nil ? .sealed(path: path) : .wrongKey(path: firstSealed)
      }
    }
    let isMember = found.entries.keys.contains { $0.writer == replica }
    sealedBeside =
      options.sealing == nil && !isMember && !options.publishesBesideSealed ? firstOfSealer : nil
    try leaveOut(othersIn: &found, root, &report)
    catalogue = found
  }

  /// Determines the store's document, and leaves out files of other documents.
  ///
  /// - Throws: ``StoreError/otherDocument(path:found:expected:)`` if there are only files
  ///   of other documents; nothing is written among them.
  private func leaveOut(
    othersIn found: inout RelayCatalogue, _ root: RelayFolder, _ report: inout Store.SyncReport
  ) throws(StoreError) {
    let named = Set(found.entries.values.compactMap(\.file.document))
    guard !named.isEmpty else { return }
    let own = try core.settle(among: named, at: path)
    let others = found.entries.values.filter { entry in
      entry.file.document.map { own?.isSame(as: $0) != true } ?? false
    }.map(\.file.key).sorted { ($0.writer, $0.sequence) < ($1.writer, $1.sequence) }
    var first: DocumentIdentity?
    for key in others {
      guard let entry = found.entries.removeValue(forKey: key), let other = entry.file.document
      else { continue }
      first = first ?? other
      let folder = RelayNames.folder(key.writer)
      report.note(.otherDocument(other.id), at: "\(root.path)/\(folder)/\(entry.name)")
    }
    if found.entries.isEmpty, let own, let first {
      throw .otherDocument(path: path, found: first.id, expected: own.id)
    }
  }

  /// Scans a subfolder; returns the first sealed file that can't be opened.
  private func scan(
    _ folder: RelayFolder, of replica: ReplicaID, known: [String: RelayCatalogue.Entry],
    _ found: inout RelayCatalogue, _ report: inout Store.SyncReport
  ) throws(StoreError) -> String? {
    var firstSealed: String?
    let isOwn = replica == self.replica
    var room = options.maximumFileMemoryBytes
    defer { memoryLeft[replica] = room }
    // Numbered names come first: a renamed file counts only if the original isn't there.
    let names = try folder.names().filter { !RelayNames.isPassing($0) }
      .map { (name: $0, number: RelayNames.sequence($0)) }
      .sorted { ($0.number ?? .max, $0.name) < ($1.number ?? .max, $1.name) }
    for (name, number) in names {
      if isOwn { ownNames.insert(name) }
      if let entry = known[name] {
        if isOwn { lastSequence = max(lastSequence, entry.file.key.sequence) }
        room -= entry.memory
        if found.entries[entry.file.key] == nil { found.entries[entry.file.key] = entry }
        continue
      }
      let path = folder.path(of: name, in: folder.handle)
      do throws(StoreError) {
        let roomBefore = room
        switch try folder.look(at: name, bytesMax: options.maximumFileBytes, memoryLeft: &room) {
        case .missing: continue
        case .incomplete:
          if let number, !isOwn { unread[replica] = max(unread[replica] ?? 0, number) }
          report.note(.incomplete, at: path)
        case .damaged(let reason):
          if let number, !isOwn { unread[replica] = max(unread[replica] ?? 0, number) }
          report.note(number == nil ? .unknown : .damaged(reason), at: path)
        case .tooLarge:
          room = roomBefore
          report.note(.damaged("\(memoryRefusal(at: 0))"), at: path)
        case .sealed:
          firstSealed = firstSealed ?? path
          report.note(.sealed, at: path)
        case .notSealed:
          if isOwn, number != nil { ownUnsealed.append(name) }
          report.note(.notSealed, at: path)
        case .file(let file, let head, let start):
          if let reason = refusal(of: file, replica, number) {
            room = roomBefore
            report.note(.damaged(reason), at: path)
            continue
          }
          // A name alone isn't enough: anybody can create one.
          if isOwn { lastSequence = max(lastSequence, file.key.sequence) }
          if found.entries[file.key] == nil {
            found.entries[file.key] = RelayCatalogue.Entry(
              file: file, head: head, name: name, deltaStart: start, memory: roomBefore - room)
          }
        }
      } catch {
        guard case .system(let cause, _) = error else { throw error }
        report.note(.unreadable(cause), at: path)
      }
    }
    return firstSealed
  }

  /// Why a whole file can't belong here.
  private func refusal(
    of file: RelayFile, _ replica: ReplicaID, _ number: UInt64?
  ) -> String? {
    if file.key.writer != replica { return "it is a file of replica \(file.key.writer)" }
    if let number, number != file.key.sequence { return "it is file \(file.key.sequence)" }
    let names = [file.version, file.base, file.known, file.retired, file.wanted].map(\.count)
    if let most = names.max(), most > options.maximumReplicas {
      return "it names \(most) replicas, and \(options.maximumReplicas) may be"
    }
    if file.hasDelta, file.base == file.version || !file.version.contains(file.base) {
      return "its versions make no sense"
    }
    if let heads = file.heads, heads.version != file.version {
      return "it tells of other events than those of its version"
    }
    return nil
  }
}

extension Store.SyncReport {
  mutating func note(_ reason: FolderRelay.Finding.Reason, at path: String) {
    findings.append(FolderRelay.Finding(path: path, reason: reason))
  }
}
