import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

/// A small store on a disk, and all that it has held.
struct DamagedShape {
  let name: String
  /// The disk at the end.
  let image: DiskImage
  /// What the store held after each step, and how large its files were.
  private(set) var steps: [(state: StoreState, sizes: [String: Int])] = []
  /// Disks from before that had another manifest.
  private(set) var older: [DiskImage] = []
  let run: StoreRun

  /// Runs operations; closes the store at the end, or kills it.
  init(
    _ name: String, _ operations: [StoreOperation], closes: Bool, number: UInt64 = 1
  ) throws {
    self.name = name + (closes ? ", closed" : ", killed")
    let files = SimulatedFileSystem()
    run = StoreRun(files, CrashRecorder(files), number: number)
    try run.open()
    steps.append((run.state, Self.sizes(files.seenImage)))
    for operation in operations {
      older.append(files.seenImage)
      try run.perform(operation)
      steps.append((run.state, Self.sizes(files.seenImage)))
    }
    if closes { try run.close() }
    image = files.seenImage
    files.killProcess()
  }

  private static func sizes(_ image: DiskImage) -> [String: Int] {
    image.files.mapValues(\.count)
  }

  /// What the store holds at the end.
  var state: StoreState { run.state }

  /// The segment that was written last.
  var lastSegment: String {
    image.files.keys.filter { $0.hasSuffix(".segment") }.max() ?? ""
  }

  /// Where the last commit in a file begins, or the mark of the end.
  func lastCommit(in path: String) -> Int {
    let count = image[path]?.count ?? 0
    return steps.compactMap { $0.sizes[path] }.filter { $0 < count }.max() ?? 0
  }

  /// The last state all of whose bytes stand before a place in a segment.
  func stateBefore(_ offset: Int, in path: String) -> StoreState {
    steps.last { $0.sizes[path] ?? 0 <= offset }?.state ?? StoreState()
  }

  /// The state with which a segment begins.
  func stateAtBeginning(of path: String) -> StoreState {
    steps.first { $0.sizes[path] != nil }?.state ?? StoreState()
  }

  /// A field with a value that it never had; `nil` if there is none.
  ///
  /// Of a set there may be any part.
  func invented(in document: Document) -> String? {
    for collection in document.collections {
      for record in document.records(in: collection) {
        for (field, value) in document.fields(of: record, in: collection) ?? [:] {
          let former = steps.compactMap {
            $0.state.document.value(of: [field], of: record, in: collection)
          }
          if !former.contains(where: { $0.holds(value) }) {
            return "\(collection) \(record) \(field): \(value), and before \(former)"
          }
        }
      }
    }
    return nil
  }

  /// Ten ways in which a store may look.
  static func all() throws -> [DamagedShape] {
    let log: [StoreOperation] = [.edit, .edit, .delete]
    let segments: [StoreOperation] = [.large, .edit, .large, .edit]
    let snapshot: [StoreOperation] = [.edit, .edit, .compact, .edit, .delete]
    return [
      try DamagedShape("a log", log, closes: true),
      try DamagedShape("a log", log, closes: false),
      try DamagedShape("several segments", segments, closes: true),
      try DamagedShape("several segments", segments, closes: false),
      try DamagedShape("a snapshot and a log", snapshot, closes: true),
      try DamagedShape("a snapshot and a log", snapshot, closes: false),
      try DamagedShape(
        "two generations", [.edit, .compact, .edit, .compact, .edit, .edit], closes: false),
      try DamagedShape(
        "peers", [.edit, .exchange, .compact, .apply, .exchange, .edit], closes: true),
      try DamagedShape("another schema", [.schema, .edit, .migrate, .edit], closes: false),
      try DamagedShape("a new replica", [.edit, .restored, .edit, .compact], closes: false),
    ]
  }
}

extension Document.Value {
  /// Whether another is the same, or a part of the same set.
  fileprivate func holds(_ other: Document.Value) -> Bool {
    if case .array(let mine) = self, case .array(let others) = other {
      return others.allSatisfy(mine.contains)
    }
    return self == other
  }
}
