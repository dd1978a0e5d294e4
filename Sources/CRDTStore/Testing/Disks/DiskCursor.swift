/// A place in a history: what is on disk there for sure, and what may be.
package struct DiskCursor {
  typealias Node = DiskImage.Node

  private let events: [(call: Int, event: DiskEvent)]
  private var eventCount = 0
  private(set) var call = 0
  /// What is on disk, by the numbers of files and folders.
  private(set) var durable: [Node]
  /// When files and folders were last changed.
  ///
  /// Times reach the disk at once, which no disk promises; so nothing may depend on the time
  /// of a file that was changed after it was made.
  private(set) var changeTimes: [UInt64]
  private(set) var time: UInt64
  /// The changed files, and the images of them that are made in every case.
  private(set) var files: [Int: PendingFile] = [:]
  private(set) var names = PendingNames()
  /// The last name that each file had, for messages.
  private(set) var lastNames: [Int: String] = [:]
  var variants: [Int: [FileVariant]] = [:]

  struct FileVariant {
    let choice: FileChoice
    let bytes: FileBytes
  }

  package init(_ history: CrashHistory) {
    events = history.events
    durable = history.start.nodes
    changeTimes = history.start.changeTimes
    time = history.start.time
    for case .folder(let entries) in durable {
      for (name, node) in entries { lastNames[node] = name }
    }
  }

  /// Goes on to where a number of calls were made: whether that changed anything.
  @discardableResult
  package mutating func advance(to newCall: Int) -> Bool {
    precondition(newCall >= call)
    let before = eventCount
    while eventCount < events.count, events[eventCount].call <= newCall {
      take(events[eventCount].event)
      eventCount += 1
    }
    call = newCall
    return eventCount > before
  }

  private mutating func take(_ event: DiskEvent) {
    time += 1
    if case .make = event { changeTimes.append(time) }
    if let node = event.changedNode(of: durable.count) { changeTimes[node] = time }
    switch event {
    case .make(let isFolder): durable.append(isFolder ? .folder([:]) : .file(.empty))
    case .change(let node, let change):
      guard case .file(let base) = durable[node] else { return }
      files[node, default: PendingFile(base)].append(change)
      variants[node] = nil
    case .name(let change):
      names.append(change)
      lastNames[change.node] = change.target?.name ?? change.source?.name
    case .synchronize(let node):
      files[node]?.synchronize()
      variants[node] = nil
      guard let file = files[node] else { return }
      durable[node] = .file(file.base)
      if !file.isPending { files[node] = nil }
    case .synchronizeNames(let folder):
      for change in names.synchronize(folder) {
        change.addTarget(to: &durable)
        change.removeSource(from: &durable)
      }
    case .loseFile(let node): files[node]?.lose()
    case .loseNames(let folder): names.lose(folder)
    }
  }

  /// The changed files that have a name or may have one again.
  var namedFiles: [Int] {
    if files.isEmpty { return [] }
    var named = Set(names.entries.map(\.change.node))
    for case .folder(let entries) in durable { named.formUnion(entries.values) }
    return files.keys.filter(named.contains).sorted()
  }
}
