import CRDTStore

/// A file system in memory that simulates power cuts and injects faults into calls.
///
/// Bytes are durable once their file was synchronized, names once their folder was; nothing
/// else is. One instance is one running machine. After a crash, create a new instance from
/// an image, without locks and descriptors.
///
///     let disk = SimulatedFileSystem()
///     options.fileSystem = disk
///     let store = try Store.open(at: "/notes", options: options)
///     // … what the app does …
///     for image in disk.imagesAfterPowerCut() {
///       options.fileSystem = SimulatedFileSystem(image)
///       let store = try Store.open(at: "/notes", options: options)
///       // … all that was acknowledged must be there …
///     }
public final class SimulatedFileSystem: Sendable {
  private let state: Locked<SimulatedState>

  /// Creates a file system with the contents of an image, all of them durable.
  public init(_ image: DiskImage = DiskImage()) {
    state = Locked(SimulatedState(image))
  }

  /// Makes one call on the state, and records it with the name of its file.
  func call<Result>(
    _ kind: DiskCall, _ name: String, size: Int = 0,
    _ body: (inout SimulatedState, Int) throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    try state.withLock { (state: inout SimulatedState) throws(SystemError) in
      try state.call(kind, name, size, nil, body)
    }
  }

  /// Makes one call on the state for an open file.
  func call<Result>(
    _ kind: DiskCall, _ file: OpenFile, size: Int = 0,
    _ body: (inout SimulatedState, Int) throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    try state.withLock { (state: inout SimulatedState) throws(SystemError) in
      try state.call(kind, state.name(of: file), size, file, body)
    }
  }

  func withState<Result>(_ body: (inout SimulatedState) -> Result) -> Result {
    state.withLock(body)
  }
}

extension SimulatedFileSystem {
  /// The number of calls.
  public var callCount: Int { withState { $0.calls.count } }

  /// The calls, in order.
  package var calls: [CallRecord] { withState { $0.calls } }

  /// The misuses by the program: descriptors used after they were closed, and invalid
  /// names.
  package var misuses: [String] { withState { $0.misuses } }

  /// The number of open descriptors.
  package var openCount: Int { withState { $0.handles.count } }

  /// The capacity of the disk in bytes; `nil`, the default, if it is unlimited.
  public var capacity: Int? {
    get { withState { $0.capacity } }
    set { withState { $0.capacity = newValue } }
  }

  /// The number of free bytes that the file system reports; `nil`, the default, for the
  /// actual number.
  public var freeBytes: Int? {
    get { withState { $0.freeBytes } }
    set { withState { $0.freeBytes = newValue } }
  }

  /// The number of bytes that its files take.
  public var usedBytes: Int { withState { $0.usedBytes } }

  /// Whether all changes fail.
  public var isReadOnly: Bool {
    get { withState { $0.isReadOnly } }
    set { withState { $0.isReadOnly = newValue } }
  }

  /// The number of calls after which all further ones fail, so that endless loops end.
  package var callMax: Int {
    get { withState { $0.callMax } }
    set { withState { $0.callMax = newValue } }
  }

  /// Whether names that a failed synchronization of their folder left out never become
  /// durable, which is the default, or do once a later one succeeds.
  ///
  /// No file system is known to lose names that it still shows: one that can't write them
  /// accepts no further changes.
  package var losesNames: Bool {
    get { withState { $0.losesNames } }
    set { withState { $0.losesNames = newValue } }
  }

  /// Whether synchronizing succeeds without any effect.
  ///
  /// With it you can verify that a durability test fails.
  public var ignoresSynchronization: Bool {
    get { withState { $0.ignoresSynchronization } }
    set { withState { $0.ignoresSynchronization = newValue } }
  }

  /// Schedules a fault, in addition to those already scheduled.
  public func schedule(_ fault: DiskFault) {
    withState { $0.faults.append(fault) }
  }

  /// Removes all faults.
  public func clearFaults() {
    withState { $0.faults = [] }
  }

  /// Kills the process that uses the file system; the machine keeps running.
  ///
  /// Its descriptors, locks, faults and ``callMax`` are gone, and its further calls fail.
  /// The next process sees all its changes. A power cut may still undo those that are not
  /// durable.
  public func killProcess() {
    withState { state in
      state.handles = [:]
      state.firstDescriptor = state.nextDescriptor
      state.faults = []
      state.callMax = .max
    }
  }

  /// The disk images that a power cut may leave, after a number of calls or all of them.
  ///
  /// They contain all, none or some of the changes that were not synchronized, torn and out
  /// of order.
  ///
  /// The first image is that of a killed process, with all changes. No two are equal. Equal
  /// seeds give equal images.
  ///
  /// - Complexity: O(bytes written since the file system was made), and of the files
  ///   that were not synchronized for each image.
  public func imagesAfterPowerCut(afterCall call: Int? = nil, seed: UInt64 = 0) -> [DiskImage] {
    history.images(atCall: call ?? callCount, seed: seed).map(\.image)
  }

  /// The history so far, with the images that crashes may leave.
  package var history: CrashHistory {
    withState { CrashHistory(start: $0.tree.start, events: $0.events, calls: $0.calls) }
  }

  /// The image that a process killed now leaves, with all changes.
  package var seenImage: DiskImage { history.seenImage() }
}
