import CRDTKit

/// The length of the log when the store was last closed.
///
/// The whole log was durable by then, so a shorter one has lost something. The mark is
/// written in place and isn't made durable. If it is lost or torn, it says nothing; an
/// older mark demands less.
struct ClosingMark: Equatable {
  var store: UInt64
  /// The number of the last segment; `size` is its number of bytes.
  var segment: UInt64
  var size: UInt64

  /// The bytes of the file: three numbers and their checksum.
  var encoded: [UInt8] {
    var writer = ByteWriter()
    for number in [store, segment, size] { writer.write(fixed: number) }
    let checksum = writer.withBytes { CRC32C.checksum($0) }
    writer.write(fixed: UInt64(checksum))
    return writer.finish()
  }

  init(store: UInt64, segment: UInt64, size: Int) {
    self.store = store
    self.segment = segment
    self.size = UInt64(size)
  }

  /// Reads the bytes of the file; `nil` if they aren't whole.
  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let store = try? reader.readFixed(UInt64.self),
      let segment = try? reader.readFixed(UInt64.self),
      let size = try? reader.readFixed(UInt64.self)
    else { return nil }
    (self.store, self.segment, self.size) = (store, segment, size)
    guard bytes == encoded, segment <= FileNames.numberMax else { return nil }
  }
}

extension ClosingMark {
  /// The damage of the mark's segment, given its number of undamaged bytes; `nil` for none.
  func finding(bytesInOrder end: Int?, at path: String) -> StoreFinding? {
    guard UInt64(end ?? 0) < size else { return nil }
    let lost = end == nil ? "the file is missing" : "what followed is lost"
    return StoreFinding(
      path: path, offset: end ?? 0,
      reason: "\(lost): there were \(size) bytes when the store was last closed")
  }
}

extension StoreFolder {
  /// The mark of the last closing, if it can be read.
  func readClosingMark() -> ClosingMark? {
    guard let file = try? open(FileNames.closed, in: root, for: .reading) else { return nil }
    defer { file.close() }
    return (try? file.read(0..<64)).flatMap { ClosingMark($0) }
  }

  /// Writes the length of the log, if that is possible.
  func note(_ mark: ClosingMark) {
    guard
      let file = (try? open(FileNames.closed, in: root, for: .writing))
        ?? (try? open(FileNames.closed, in: root, for: .creating))
    else { return }
    defer { file.close() }
    try? file.write(mark.encoded, at: 0)
  }
}
