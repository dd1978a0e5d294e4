import CRDTKit

/// The kinds of a store's segments and snapshots, according to their heads.
struct FileKinds {
  /// Whether one has a known format and is not sealed.
  var isAnyPlain = false
  /// Whether one is sealed.
  var isAnySealed = false
  /// Whether one has a format that isn't known here.
  var isAnyNewer = false

  /// Reads the heads of all listed files.
  init(_ folder: StoreFolder, _ listing: FileListing) throws(StoreError) {
    for number in listing.snapshots.sorted() {
      try take(folder.headBytes(of: FileNames.snapshot(number), in: folder.snapshots), .snapshot)
    }
    for number in listing.segments.sorted() {
      try take(folder.headBytes(of: FileNames.segment(number), in: folder.segments), .segment)
    }
  }

  private mutating func take(_ bytes: [UInt8]?, _ kind: FileHead.Kind) {
    guard let bytes else { return }
    var reader = ByteReader(bytes)
    do throws(DecodingFailure) {
      if try FileHead(from: &reader, kind: kind).isSealed {
        isAnySealed = true
      } else {
        isAnyPlain = true
      }
    } catch {
      if case .unsupportedVersion = error.reason { isAnyNewer = true }
    }
  }

  /// Whether a manifest of a newer format is damaged, or was put there by somebody: a later
  /// version of the package would leave another file of its own as well.
  var isNewerManifestOdd: Bool { !isAnyNewer && (isAnyPlain || isAnySealed) }

  /// Whether a sealed manifest was put there by somebody: once a store is sealed,
  /// everything that is written next is.
  var isSealedManifestOdd: Bool { isAnyPlain && !isAnySealed }
}
