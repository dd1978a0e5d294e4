import CRDTKit

extension StoreFolder {
  /// Makes sure that what is sealed can be opened, if anything is: that bytes don't
  /// open is damage only where others do.
  ///
  /// - Throws: ``StoreError/sealed(path:)`` where there is no sealing,
  ///   ``StoreError/wrongKey(path:)`` where there is another one.
  func checkKey(_ listing: FileListing) throws(StoreError) {
    var places = [(name: FileNames.manifest, folder: root, kind: FileHead.Kind.manifest)]
    places += listing.snapshots.sorted(by: >).map { (FileNames.snapshot($0), snapshots, .snapshot) }
    places += listing.segments.sorted(by: >).map { (FileNames.segment($0), segments, .segment) }
    var firstRefused: String?
    for place in places {
      let path = path(of: place.name, in: place.folder)
      guard let file = try open(place.name, in: place.folder, for: .reading) else { continue }
      defer { file.close() }
      guard let (head, body, bytes) = try file.firstFrame(place.kind), head.isSealed else {
        continue
      }
      do throws(StoreError) {
        _ = try opened(body, of: bytes, in: head, at: path)
        return
      } catch {
        switch error {
        case .damaged: firstRefused = firstRefused ?? path
        case .sealed: throw .sealed(path: self.path)
        default: throw error
        }
      }
    }
    if let firstRefused { throw .wrongKey(path: firstRefused) }
  }
}

extension StoreFile {
  /// The head of a file and where the body of its first frame is, if they are whole.
  fileprivate func firstFrame(
    _ kind: FileHead.Kind
  ) throws(StoreError) -> (FileHead, Range<Int>, [UInt8])? {
    let size = try size()
    var bytes = try read(0..<min(size, 1 << 12))
    guard let frameSize = FileHead.checkedFrameSize(of: bytes), frameSize <= size
    else { return nil }
    if frameSize > bytes.count { bytes = try read(0..<frameSize) }
    var reader = ByteReader(bytes)
    guard let head = try? FileHead(from: &reader, kind: kind),
      let body = bytes.withUnsafeBytes({ Frame.body(at: FileHead.size, of: $0, in: head) })
    else { return nil }
    return (head, body, bytes)
  }
}
