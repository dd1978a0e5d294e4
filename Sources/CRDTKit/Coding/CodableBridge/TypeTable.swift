internal import Synchronization

/// What was found out about types, each once: many threads read it without waiting.
///
/// Entries are added and never changed or removed, and there are as many as a program has
/// types. Readers see either an entry as a whole or none: its place is told of after it was
/// filled in.
struct TypeTable<Value: BitwiseCopyable & Sendable>: @unchecked Sendable {
  private struct Entry {
    let type: ObjectIdentifier
    let value: Value
    let next: UnsafeRawPointer?
  }

  private static var listCount: Int { 64 }

  /// The newest entries of lists, in one of which each type is.
  private let lists: UnsafeMutablePointer<Atomic<UnsafeRawPointer?>>

  /// Creates a table that stays for as long as the program.
  init() {
    lists = .allocate(capacity: Self.listCount)
    for place in 0..<Self.listCount { (lists + place).initialize(to: Atomic(nil)) }
  }

  /// What is known of a type; what the body finds out where nothing is.
  ///
  /// Two threads may find it out at once, and must come to the same.
  func value(of type: ObjectIdentifier, else find: () -> Value) -> Value {
    let list = lists + Int((UInt(bitPattern: type) >> 4) % UInt(Self.listCount))
    var newest = list.pointee.load(ordering: .acquiring)
    if let known = value(of: type, from: newest) { return known }
    let value = find()
    let entry = UnsafeMutablePointer<Entry>.allocate(capacity: 1)
    while true {
      entry.initialize(to: Entry(type: type, value: value, next: newest))
      let (isAdded, found) = list.pointee.compareExchange(
        expected: newest, desired: UnsafeRawPointer(entry), ordering: .acquiringAndReleasing)
      if isAdded { return value }
      newest = found
    }
  }

  private func value(of type: ObjectIdentifier, from newest: UnsafeRawPointer?) -> Value? {
    var next = newest
    while let entry = next?.assumingMemoryBound(to: Entry.self) {
      if entry.pointee.type == type { return entry.pointee.value }
      next = entry.pointee.next
    }
    return nil
  }
}
