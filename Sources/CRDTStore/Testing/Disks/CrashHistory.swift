/// What happened to a ``SimulatedFileSystem``, from which follows what a crash at
/// any call may have left.
package struct CrashHistory: Sendable {
  let start: DiskImage
  let events: [(call: Int, event: DiskEvent)]
  /// The calls that were made.
  package let calls: [CallRecord]

  /// The images that a power cut may leave, after a number of calls.
  ///
  /// The first is what a killed process leaves: everything. No two are equal. The
  /// same seed gives the same images.
  package func images(
    atCall call: Int, choices: CrashChoices = CrashChoices(), seed: UInt64 = 0
  ) -> [CrashImage] {
    var cursor = DiskCursor(self)
    cursor.advance(to: call)
    return cursor.images(choices, seed: seed)
  }

  /// What a process that is killed leaves, after a number of calls or all of them.
  package func seenImage(atCall call: Int? = nil) -> DiskImage {
    var tree = LiveTree(start)
    for (number, event) in events where number <= call ?? .max { tree.apply(event) }
    let nodes = (0..<tree.nodeCount).map { node -> DiskImage.Node in
      if let names = tree.names(in: node) { return .folder(names) }
      return .file(FileBytes(tree.bytes(of: node) ?? []))
    }
    return DiskImage(
      nodes: nodes, changeTimes: nodes.indices.map { tree.changeTime(of: $0) }, time: tree.time)
  }

  /// The last calls up to one, for messages.
  package func log(upTo call: Int, count: Int = 12) -> String {
    calls.prefix(call).enumerated().suffix(count)
      .map { "\($0 + 1). \($1)" }.joined(separator: "\n")
  }
}
