import CRDTKit

/// What a store's files hold, read and checked: the document, what is kept beside
/// it, and where writing goes on.
struct StoreContents {
  /// The number that all of the store's files have in their heads.
  var store: UInt64
  var manifest: Manifest
  /// The number in the manifest's head, which goes up by one with each.
  var manifestNumber: UInt64
  /// Whether the manifest has yet to get its name.
  let isManifestUnfinished: Bool
  var document: Document
  var identity: StoreIdentity
  /// What the store keeps for itself.
  var local: LocalValues = [:]
  /// The segment that is written on.
  var lastSegment: Segment
  var report: RecoveryReport
  /// The line of history of what was sealed last.
  var line: UInt64 = 0
  /// How often something was sealed with the key, as far as is known.
  var seals: UInt64 = 0

  /// A segment that was read.
  struct Segment {
    var number: UInt64
    /// Where the last whole frame begins and ends.
    var lastFrame: Range<Int>
    /// Bytes after it, which were being written when everything stopped.
    var tornBytes: [UInt8]
    var lastFrameBytes: [UInt8]
    var wasClosed: Bool
    /// Whether the segment is of an older format, or not sealed and the store is to be:
    /// nothing new is written in it.
    var isOld = false
    var version = FileHead.version
  }
}
