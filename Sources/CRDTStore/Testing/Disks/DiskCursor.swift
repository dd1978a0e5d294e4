/// A position in a history, with the durable state there and the changes that may be on
/// disk.
package struct DiskCursor {
  typealias Node = DiskImage.Node

  private let events: [(call: Int, event: DiskEvent)]
  private var eventCount = 0
  private(set) var call = 0
  /// The durable state, by the numbers of files and folders.
  private(set) var durable: [Node]
  /// When files and folders were last changed.
  ///
  /// Here times reach the disk at once, which no disk guarantees. So nothing may depend on
  /// the time of a file that was changed after its creation.
  private(set) var changeTimes: [UInt64]
  private(set) var time: UInt64
  /// The changed files, and the variants that are always generated.
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

  /// Advances to the position after a number of calls.
  ///
  /// Returns whether that changed anything.
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

extension DiskCursor {
  /// The images that a power cut may leave here.
  package mutating func images(_ choices: CrashChoices, seed: UInt64) -> [CrashImage] {
    let dirty = namedFiles
    for node in dirty where variants[node] == nil {
      guard let file = files[node] else { continue }
      variants[node] = file.systematicChoices(choices).map {
        FileVariant(choice: $0, bytes: file.content($0))
      }
    }
    var collector = Collector(
      files: dirty.map { ($0, lastNames[$0] ?? "file \($0)") }, changeTimes: changeTimes,
      time: time)
    addSystematic(choices, dirty, to: &collector)
    if dirty.isEmpty, names.entries.isEmpty { return collector.images }
    var random = SeededGenerator(seed: seed ^ UInt64(call) &* 0x9E37_79B9_7F4A_7C15)
    for _ in 0..<choices.randomCount {
      let nameChoice = anyNames(&random)
      let fileVariants = dirty.map { anyVariant(of: $0, &random) }
      collector.add(nameChoice, nodes(nameChoice, choices), fileVariants)
    }
    return collector.images
  }

  private func addSystematic(
    _ choices: CrashChoices, _ dirty: [Int], to collector: inout Collector
  ) {
    // The first two choices of each are nothing and everything.
    let nothing = dirty.compactMap { variants[$0]?[0] }
    let everything = dirty.compactMap { variants[$0]?[1] }
    let allNames = nodes(.everything, choices)
    let noNames = nodes(.nothing, choices)
    collector.add(.everything, allNames, everything)
    for name in names.systematicChoices(choices) {
      let nodes = nodes(name, choices)
      collector.add(name, nodes, everything)
      collector.add(name, nodes, nothing)
    }
    for (place, node) in dirty.enumerated() {
      for variant in variants[node] ?? [] {
        var others = everything
        others[place] = variant
        collector.add(.everything, allNames, others)
        others = nothing
        others[place] = variant
        collector.add(.nothing, noNames, others)
        if dirty.count > 1 { collector.add(.everything, allNames, others) }
      }
    }
  }

  /// The durable state, with the names that a power cut leaves.
  private func nodes(_ choice: NameChoice, _ choices: CrashChoices) -> [Node] {
    var nodes = durable
    names.apply(choice, choices.nameOrder, to: &nodes)
    return nodes
  }

  private func anyNames(_ random: inout SeededGenerator) -> NameChoice {
    switch random.next() % 4 {
    case 0: .nothing
    case 1: .everything
    default: .random(random.next())
    }
  }

  private func anyVariant(of node: Int, _ random: inout SeededGenerator) -> FileVariant {
    let chance = random.next()
    if chance % 3 == 0, let variants = variants[node] {
      return variants[Int(random.next() % UInt64(variants.count))]
    }
    let choice = FileChoice.random(random.next())
    return FileVariant(choice: choice, bytes: files[node]?.content(choice) ?? .empty)
  }
}

extension DiskCursor {
  /// A collection of distinct images.
  private struct Collector {
    let files: [(node: Int, name: String)]
    let changeTimes: [UInt64]
    let time: UInt64
    private(set) var images: [CrashImage] = []
    private var fingerprints: Set<UInt64> = []

    init(files: [(node: Int, name: String)], changeTimes: [UInt64], time: UInt64) {
      self.files = files
      self.changeTimes = changeTimes
      self.time = time
    }

    /// Adds the image with these names and bytes, unless it is there.
    mutating func add(_ names: NameChoice, _ nodes: [Node], _ variants: [FileVariant]) {
      var nodes = nodes
      for index in files.indices { nodes[files[index].node] = .file(variants[index].bytes) }
      let image = DiskImage(nodes: nodes, changeTimes: changeTimes, time: time)
      guard fingerprints.insert(image.fingerprint).inserted else { return }
      let choices = files.indices.map {
        (files[$0].node, files[$0].name, variants[$0].choice)
      }
      images.append(CrashImage(image: image, names: names, files: choices))
    }
  }
}
