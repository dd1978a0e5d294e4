import CRDTKit

/// What there is among a store's segments and snapshots, as the heads of these files say.
struct FileKinds {
  /// Whether one is of a known format, and not sealed.
  var isAnyPlain = false
  /// Whether one is sealed.
  var isAnySealed = false
  /// Whether one is of a format that isn't known here.
  var isAnyNewer = false

  /// Looks at the heads of all that are listed.
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

  /// Whether a manifest of a newer format was put beside the others by somebody, or is damaged: a
  /// later version of the package leaves a file of its own besides.
  var isNewerManifestOdd: Bool { !isAnyNewer && (isAnyPlain || isAnySealed) }

  /// Whether a sealed manifest was put beside the others by somebody: where a store comes to be
  /// sealed, what is written next is.
  var isSealedManifestOdd: Bool { isAnyPlain && !isAnySealed }
}
