import CRDTKit

extension StoreFolder {
  /// The bytes of the manifest, and whether it has yet to get its name; `nil` where
  /// there is none.
  ///
  /// File systems without a journal may take the old manifest's name away, in a power
  /// cut, before the new one has it. Then the new one, which was durable before, is the
  /// only one: if it is whole, it is the manifest.
  func readManifest() throws(StoreError) -> (bytes: [UInt8], isUnfinished: Bool)? {
    if let bytes = try read(FileNames.manifest, in: root) { return (bytes, false) }
    guard let bytes = try read(FileNames.unfinishedManifest, in: root) else { return nil }
    return Manifest.isWhole(bytes) ? (bytes, true) : nil
  }

  /// Refuses a store whose manifest, and another file if there are any, is of a format that isn't
  /// known here.
  ///
  /// A single file of such a format was put beside the others, or is damaged.
  func checkFormat(_ listing: FileListing) throws(StoreError) {
    let bytes: [UInt8]?
    do throws(StoreError) { bytes = try readManifest()?.bytes } catch {
      guard error.isDamage || error.isUnreadableFile else { throw error }
      return
    }
    var reader = ByteReader(bytes ?? [])
    do throws(DecodingFailure) { _ = try FileHead(from: &reader, kind: .manifest) } catch {
      guard case .unsupportedVersion(let version) = error.reason else { return }
      if try FileKinds(self, listing).isNewerManifestOdd { return }
      throw .newerFormat(path: path(of: FileNames.manifest, in: root), version: version)
    }
  }

  /// Gives its name to a manifest that has yet to get it.
  ///
  /// Whoever wrote it may have been stopped before it was durable, or been told that it
  /// can't be: so it is written once more, in its place.
  func finishManifest() throws(StoreError) {
    if let bytes = try read(FileNames.unfinishedManifest, in: root),
      let file = try open(FileNames.unfinishedManifest, in: root, for: .writing)
    {
      defer { file.close() }
      try file.write(bytes, at: 0)
      try file.synchronize()
    }
    try rename(FileNames.unfinishedManifest, in: root, to: FileNames.manifest, in: root)
    try synchronizeNames(in: root)
  }

  /// Puts a copy of a damaged manifest into the quarantine, or moves it there where it is too
  /// long to be copied; says where it is, `nil` if there is none.
  func setAsideManifest(_ name: String) throws(StoreError) -> String? {
    let opened: (file: StoreFile, extent: StoreFile.Extent)
    do throws(StoreError) {
      guard let file = try open(name, in: root, for: .reading) else { return nil }
      do throws(StoreError) { opened = (file, try file.extent()) } catch {
        file.close()
        throw error
      }
    } catch {
      guard error.isDamage else { throw error }
      // It is no file.
      return try moveAside(name, in: root)
    }
    let (file, extent) = opened
    defer { file.close() }
    if extent.isTooLong { return try moveAside(name, in: root) }
    return try setAside(try file.read(0..<extent.size), from: name, at: 0)
  }

  /// Replaces the manifest.
  func write(_ manifest: Manifest, number: UInt64, of store: UInt64) throws(StoreError) {
    let head = head(.manifest, store: store, number: number)
    let bytes = try file(
      head, framing: manifest.encodedBody(isSealed: head.isSealed),
      at: path(of: FileNames.manifest, in: root))
    try replace(FileNames.manifest, in: root, with: [bytes]).close()
  }
}
