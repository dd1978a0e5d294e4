import CRDTStore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The state of a ``SimulatedFileSystem``.
struct SimulatedState {
  struct Handle {
    let node: Int
    let name: String
    var canWrite = false
    /// Whether it holds its file's lock exclusively; `nil` if it holds none.
    var isExclusive: Bool?
  }

  var tree: LiveTree
  var handles: [Int32: Handle] = [:]
  // Numbers are never reused, so that the use of a closed one is detected.
  var nextDescriptor: Int32 = 3
  /// The first descriptor of the current process; lower ones belonged to a killed one.
  var firstDescriptor: Int32 = 3
  var events: [(call: Int, event: DiskEvent)] = []
  var calls: [CallRecord] = []
  var faults: [DiskFault] = []
  var capacity: Int?
  var freeBytes: Int?
  var isReadOnly = false
  var callMax = Int.max
  var misuses: [String] = []
  var losesNames = true
  var ignoresSynchronization = false

  init(_ image: DiskImage) {
    tree = LiveTree(image)
  }

  /// Makes a call: records it, applies due faults, and records its result.
  ///
  /// The body receives the greatest number of bytes that it may read or write.
  mutating func call<Result>(
    _ kind: DiskCall, _ name: String, _ size: Int, _ file: OpenFile?,
    _ body: (inout SimulatedState, Int) throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    calls.append(CallRecord(kind: kind, name: name, size: size))
    let number = calls.count - 1
    do throws(SystemError) {
      guard number < callMax else { throw SystemError(kind.rawValue, code: EIO) }
      var countMax = size
      var lateCode: Int32?
      // Closing does not fail, but it counts as a call.
      for index in faults.indices where faults[index].counts(kind) && kind != .close {
        switch faults[index].effect {
        case .fails(let code): throw SystemError(kind.rawValue, code: code)
        case .failsDone(let code): lateCode = code
        case .isShort(let count): countMax = min(countMax, max(count, 1))
        }
      }
      let result = try body(&self, countMax)
      if let lateCode { throw SystemError(kind.rawValue, code: lateCode) }
      return result
    } catch {
      calls[number].code = error.code
      // After `callMax` the process has ended, and nothing reaches the disk.
      if number < callMax, error.code != EINTR, let file, let node = handles[file.descriptor]?.node
      {
        if kind == .synchronize { apply(.loseFile(node)) }
        if kind == .synchronizeNames, losesNames { apply(.loseNames(folder: node)) }
      }
      throw error
    }
  }

  /// Applies an event, and records it.
  mutating func apply(_ event: DiskEvent) {
    tree.apply(event)
    events.append((calls.count, event))
  }

  /// Makes a file or folder with a name.
  mutating func make(_ name: String, in folder: Int, isFolder: Bool) -> Int {
    let node = tree.nodeCount
    apply(.make(isFolder: isFolder))
    let target = NameChange.Place(folder: folder, name: name)
    apply(.name(NameChange(node: node, source: nil, target: target)))
    return node
  }

  /// Gives a node a descriptor.
  mutating func opened(_ node: Int, _ name: String, canWrite: Bool = false) -> OpenFile {
    defer { nextDescriptor += 1 }
    handles[nextDescriptor] = Handle(node: node, name: name, canWrite: canWrite)
    return OpenFile(descriptor: nextDescriptor)
  }

  func name(of file: OpenFile) -> String {
    handles[file.descriptor]?.name ?? "descriptor \(file.descriptor)"
  }

  /// The handle of an open file; a closed one is recorded as a misuse.
  mutating func handle(
    _ file: OpenFile, _ kind: DiskCall
  ) throws(SystemError) -> Handle {
    guard let handle = handles[file.descriptor] else {
      if file.descriptor >= firstDescriptor {
        misuses.append("call \(calls.count), \(kind.rawValue): \(name(of: file)) is not open")
      }
      throw SystemError(kind.rawValue, code: EBADF)
    }
    return handle
  }

  /// The names in an open folder, and its node.
  mutating func folder(
    _ file: OpenFile, _ kind: DiskCall
  ) throws(SystemError) -> (node: Int, names: [String: Int]) {
    let handle = try handle(file, kind)
    guard let names = tree.names(in: handle.node) else {
      throw SystemError(kind.rawValue, code: ENOTDIR)
    }
    return (handle.node, names)
  }

  /// The bytes of an open file, and its node; throws the code for a folder.
  mutating func file(
    _ file: OpenFile, _ kind: DiskCall, forWriting: Bool = false, folderCode: Int32 = EISDIR
  ) throws(SystemError) -> (node: Int, bytes: [UInt8]) {
    let handle = try handle(file, kind)
    guard handle.canWrite || !forWriting else {
      throw SystemError(kind.rawValue, code: kind == .truncate ? EINVAL : EBADF)
    }
    guard let bytes = tree.bytes(of: handle.node) else {
      throw SystemError(kind.rawValue, code: folderCode)
    }
    return (handle.node, bytes)
  }

  /// Throws if the disk is read-only, or the name is not valid.
  mutating func checkChange(_ kind: DiskCall, _ name: String = "x") throws(SystemError) {
    try checkName(kind, name)
    if isReadOnly { throw SystemError(kind.rawValue, code: EROFS) }
  }

  mutating func checkName(_ kind: DiskCall, _ name: String) throws(SystemError) {
    let isBad = ["", ".", ".."].contains(name) || name.utf8.contains { $0 == 0 || $0 == 0x2F }
    if isBad {
      misuses.append("call \(calls.count), \(kind.rawValue): “\(name)” is no name")
      throw SystemError(kind.rawValue, code: EINVAL)
    }
    if name.utf8.count > 255 { throw SystemError(kind.rawValue, code: ENAMETOOLONG) }
  }

  /// How many more bytes fit.
  var roomCount: Int {
    guard let capacity else { return .max }
    return max(0, capacity - usedBytes)
  }

  /// The number of bytes in files that have a name or are open.
  var usedBytes: Int { tree.usedCount(open: handles.values.lazy.map(\.node)) }
}
