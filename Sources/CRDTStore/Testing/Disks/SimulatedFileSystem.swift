import CRDTStore

/// A file system in memory that remembers which of its bytes and names a power cut
/// would leave, and whose calls go wrong where a test wants it.
///
/// Bytes are safe once their file was synchronized, names once their folder was;
/// nothing else ever is. One instance is one machine that is running: what is on
/// after a crash is a new instance, made of an image, without locks and descriptors.
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

  /// Creates a file system that holds what an image does, all of it on disk.
  public init(_ image: DiskImage = DiskImage()) {
    state = Locked(SimulatedState(image))
  }

  /// Makes one call on the state, which is noted with the name of its file.
  func call<Result>(
    _ kind: DiskCall, _ name: String, size: Int = 0,
    _ body: (inout SimulatedState, Int) throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    try state.withLock { (state: inout SimulatedState) throws(SystemError) in
      try state.call(kind, name, size, nil, body)
    }
  }

  /// The same for a file that is open.
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
  /// How many calls were made.
  public var callCount: Int { withState { $0.calls.count } }

  /// The calls that were made, in order.
  package var calls: [CallRecord] { withState { $0.calls } }

  /// What was done that no program should do: descriptors used after they were given
  /// back, names that are none.
  package var misuses: [String] { withState { $0.misuses } }

  /// How many descriptors have not been given back.
  package var openCount: Int { withState { $0.handles.count } }

  /// How many bytes fit on the disk; `nil`, as at first, if any number does.
  public var capacity: Int? {
    get { withState { $0.capacity } }
    set { withState { $0.capacity = newValue } }
  }

  /// How many bytes the file system says are free; `nil`, as at first, if it is to
  /// say the truth.
  public var freeBytes: Int? {
    get { withState { $0.freeBytes } }
    set { withState { $0.freeBytes = newValue } }
  }

  /// How many bytes the files on it take.
  public var usedBytes: Int { withState { $0.usedBytes } }

  /// Whether every change is refused.
  public var isReadOnly: Bool {
    get { withState { $0.isReadOnly } }
    set { withState { $0.isReadOnly = newValue } }
  }

  /// After how many calls every further one fails, so that endless loops end.
  package var callMax: Int {
    get { withState { $0.callMax } }
    set { withState { $0.callMax = newValue } }
  }

  /// Whether names that a failed synchronization of their folder left out are never
  /// safe again, as at first; or are so once a later one succeeds.
  ///
  /// No file system is known to forget names that it still shows: one that can't
  /// write them takes no further changes at all.
  package var losesNames: Bool {
    get { withState { $0.losesNames } }
    set { withState { $0.losesNames = newValue } }
  }

  /// Whether synchronizing does nothing though it succeeds: so that a test can be seen
  /// to fail, which would find a store on a disk that tells lies.
  public var ignoresSynchronization: Bool {
    get { withState { $0.ignoresSynchronization } }
    set { withState { $0.ignoresSynchronization = newValue } }
  }

  /// Lets a call to come go wrong, beside the faults that are already due.
  public func schedule(_ fault: DiskFault) {
    withState { $0.faults.append(fault) }
  }

  /// Lets no further call go wrong.
  public func clearFaults() {
    withState { $0.faults = [] }
  }

  /// Kills the process that uses the file system; the machine goes on.
  ///
  /// Its descriptors and locks are gone, and faults and ``callMax`` with them; what it
  /// still tries fails. The next process sees all that it did, and what of that is
  /// not on disk a power cut may still undo.
  public func killProcess() {
    withState { state in
      state.handles = [:]
      state.firstDescriptor = state.nextDescriptor
      state.faults = []
      state.callMax = .max
    }
  }

  /// What a power cut may leave of the disk, after a number of calls or all of them:
  /// of what wasn't synchronized all, nothing, or some, torn and out of order.
  ///
  /// The first is what a killed process leaves: everything. No two are equal. The same
  /// seed gives the same images.
  ///
  /// - Complexity: O(bytes written since the file system was made), and of the files
  ///   that were not synchronized for each image.
  public func imagesAfterPowerCut(afterCall call: Int? = nil, seed: UInt64 = 0) -> [DiskImage] {
    history.images(atCall: call ?? callCount, seed: seed).map(\.image)
  }

  /// All that happened so far, and what crashes may have left.
  package var history: CrashHistory {
    withState { CrashHistory(start: $0.tree.start, events: $0.events, calls: $0.calls) }
  }

  /// What a process that is killed now leaves: all that others see.
  package var seenImage: DiskImage { history.seenImage() }
}
