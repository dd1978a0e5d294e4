import CRDTStore

/// A file system in memory that remembers which of its bytes and names a power cut
/// would leave, and whose calls go wrong where a test wants it.
///
/// Bytes are safe once their file was synchronized, names once their folder was;
/// nothing else ever is. After a run, ``history`` gives every image that a crash at
/// any call may have left. One instance is one machine that is running: what is on
/// after a crash is a new instance, made of an image, without locks and descriptors.
package final class SimulatedFileSystem: Sendable {
  private let state: Guarded<SimulatedState>

  /// Creates a file system that holds what an image does, all of it on disk.
  package init(_ image: DiskImage = DiskImage()) {
    state = Guarded(SimulatedState(image))
  }

  /// Makes one call on the state, which is noted with the name of its file.
  func call<Result>(
    _ kind: CallKind, _ name: String, size: Int = 0,
    _ body: (inout SimulatedState, Int) throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    try state.withLock { (state: inout SimulatedState) throws(SystemError) in
      try state.call(kind, name, size, nil, body)
    }
  }

  /// The same for a file that is open.
  func call<Result>(
    _ kind: CallKind, _ file: OpenFile, size: Int = 0,
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
  package var callCount: Int { withState { $0.calls.count } }

  /// The calls that were made, in order.
  package var calls: [CallRecord] { withState { $0.calls } }

  /// What was done that no program should do: descriptors used after they were given
  /// back, names that are none.
  package var misuses: [String] { withState { $0.misuses } }

  /// How many descriptors have not been given back.
  package var openCount: Int { withState { $0.handles.count } }

  /// How many bytes fit on the disk; `nil`, as at first, if any number does.
  package var capacity: Int? {
    get { withState { $0.capacity } }
    set { withState { $0.capacity = newValue } }
  }

  /// How many bytes the file system says are free; `nil`, as at first, if it is to
  /// say the truth.
  package var freeBytes: Int? {
    get { withState { $0.freeBytes } }
    set { withState { $0.freeBytes = newValue } }
  }

  /// Whether every change is refused.
  package var isReadOnly: Bool {
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

  /// Lets a call to come go wrong, beside the faults that are already due.
  package func schedule(_ fault: Fault) {
    withState { $0.faults.append(fault) }
  }

  /// Lets no further call go wrong.
  package func clearFaults() {
    withState { $0.faults = [] }
  }

  /// Kills the process that uses the file system; the machine, and ``history``, go on.
  ///
  /// Its descriptors and locks are gone, and faults and ``callMax`` with them; what it
  /// still tries fails. The next process sees all that it did, and what of that is
  /// not on disk a power cut may still undo.
  package func killProcess() {
    withState { state in
      state.handles = [:]
      state.firstDescriptor = state.nextDescriptor
      state.faults = []
      state.callMax = .max
    }
  }

  /// All that happened so far, and what crashes may have left.
  package var history: CrashHistory {
    withState { CrashHistory(start: $0.tree.start, events: $0.events, calls: $0.calls) }
  }

  /// What a process that is killed now leaves: all that others see.
  package var seenImage: DiskImage { history.seenImage() }
}
