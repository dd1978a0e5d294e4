import CRDTStore
import Toolkit

extension Store.Options {
  /// The options that the command line asks for: everything small, so that every
  /// kind of work is done all the time.
  init(_ arguments: Arguments) throws(UsageError) {
    self = .standard
    segmentBytes = try arguments.number("segment-bytes", default: 16 << 10)
    minimumCompactionBytes = try arguments.number("compaction-bytes", default: 24 << 10)
    compaction = arguments.has("compact") ? .automatic : .manual
    minimumFreeBytes = try arguments.number("free-bytes", default: 0)
    if arguments.has("purge") { deletionRetention = .zero }
    clock = WrongClock(seed: try arguments.number("run", default: 0))
    var sabotage: TortureFileSystem.Sabotage?
    if let name = arguments.text("sabotage") {
      sabotage = TortureFileSystem.Sabotage(rawValue: name)
      guard sabotage != nil else { throw UsageError("unknown sabotage '\(name)'") }
    }
    fileSystem = TortureFileSystem(sabotage: sabotage, pauses: arguments.has("pauses"))
  }
}
