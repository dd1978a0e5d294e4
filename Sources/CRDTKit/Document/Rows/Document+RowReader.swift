extension Document {
  /// Reads a document's rows, and keeps the place and the time of the previous row.
  ///
  /// Meanwhile it is the only owner of the reader's memory, so that no row needs a
  /// uniqueness check.
  struct RowReader: CRDTKit.RowReader {
    private let recent: RecentNames
    private var place: Place?
    private var time: UInt64?

    init(from reader: inout ByteReader) {
      recent = RecentNames.of(&reader)
      reader.memory = nil
    }

    @inline(__always)
    mutating func next(
      from reader: inout ByteReader
    ) throws(DecodingFailure) -> Row<RowKey, RowPayload> {
      let key = try RowKey.read(from: &reader, after: &place, recent: recent)
      let payload = try RowPayload(from: &reader, after: time, depth: recent.lastDepth)
      time = payload.time
      return Row(key: key, payload: payload)
    }

    consuming func finish(_ reader: inout ByteReader) {
      reader.memory = recent
    }
  }
}

extension Document {
  /// Reads a document's canonical form.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self.init(_table: try DotTable(from: &reader, reading: RowReader.self))
  }

  /// Reads the canonical form of a delta's changes.
  public static func _readChanges(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> DotTable<RowKey, RowPayload>.Delta {
    try DotTable.Delta(from: &reader, reading: RowReader.self)
  }
}

/// The places and names of recently written fields, which are encoded by their slot
/// instead of being repeated.
///
/// Writer and reader each keep such a memory. Both reach the same state from the same
/// rows, because a name's slot follows from its bytes and the newest name in a slot
/// stays. So nothing needs to be sent, and nothing grows.
final class RecentNames: CodingMemory, @unchecked Sendable {
  /// A name, with the fingerprint that alone distinguishes most names.
  private struct Name {
    let text: String
    let fingerprint: UInt64
  }

  private let places = SparseSlots<Document.Place>(count: 256)
  private let names = SparseSlots<Name>(count: 1_024)

  /// The place that was last written or read.
  var lastPlace: Document.Place?
  /// The slot of the name that was last written or read as text; `nil` before the first.
  private let lastSlot: UnsafeMutablePointer<Int?>
  /// The number of names that lead to the last row that was read.
  var lastDepth = 0

  override init() {
    lastSlot = .allocate(capacity: 1)
    lastSlot.initialize(to: nil)
  }

  deinit {
    places.deallocate()
    names.deallocate()
    lastSlot.deallocate()
  }

  override func forget() {
    places.removeAll()
    names.removeAll()
    lastPlace = nil
    lastSlot.pointee = nil
    lastDepth = 0
  }

  override func copied() -> CodingMemory {
    let copy = RecentNames()
    copy.places.fill(from: places)
    copy.names.fill(from: names)
    copy.lastPlace = lastPlace
    copy.lastSlot.pointee = lastSlot.pointee
    copy.lastDepth = lastDepth
    return copy
  }
}

/// A number of slots, most of which stay empty, at addresses that don't change.
///
/// Creating, emptying and freeing them takes as long as the values need: a delta writes a name
/// or two. Access by address has no checks for overlapping access, so only one writer or reader
/// may hold them.
private struct SparseSlots<Value> {
  /// The number of slots; a multiple of 64.
  let count: Int
  private let values: UnsafeMutablePointer<Value>
  /// A bit for each slot that holds a value.
  private let used: UnsafeMutablePointer<UInt64>

  init(count: Int) {
    self.count = count
    values = .allocate(capacity: count)
    used = .allocate(capacity: count / 64)
    used.initialize(repeating: 0, count: count / 64)
  }

  func deallocate() {
    removeAll()
    values.deallocate()
    used.deallocate()
  }

  /// The address of the value in a slot; `nil` if the slot is empty.
  @inline(__always)
  func address(of slot: Int) -> UnsafeMutablePointer<Value>? {
    used[slot &>> 6] &>> UInt64(slot & 63) & 1 == 1 ? values + slot : nil
  }

  /// Puts a value into a slot.
  func set(_ slot: Int, to value: Value) {
    if let address = address(of: slot) {
      address.pointee = value
    } else {
      (values + slot).initialize(to: value)
      used[slot &>> 6] |= 1 &<< UInt64(slot & 63)
    }
  }

  func removeAll() {
    forEachSlot { (values + $0).deinitialize(count: 1) }
    used.update(repeating: 0, count: count / 64)
  }

  /// Puts the values of as many slots into these, which must be empty.
  func fill(from other: SparseSlots) {
    other.forEachSlot { set($0, to: other.values[$0]) }
  }

  private func forEachSlot(_ body: (Int) -> Void) {
    for word in 0..<count / 64 {
      var rest = used[word]
      while rest != 0 {
        body(word &<< 6 &+ rest.trailingZeroBitCount)
        rest &= rest &- 1
      }
    }
  }
}

extension RecentNames {
  /// The slot of a place.
  func slot(of place: Document.Place) -> Int {
    Int(truncatingIfNeeded: place.fingerprint >> 56) & (places.count - 1)
  }

  /// Whether a slot holds a place with the same bytes in its names.
  func has(_ place: Document.Place, in slot: Int) -> Bool {
    places.address(of: slot).map { $0.pointee.isSpelled(as: place) } ?? false
  }

  /// The place in a slot; `nil` if it is empty.
  func place(in slot: UInt64) -> Document.Place? {
    slot < UInt64(places.count) ? places.address(of: Int(slot))?.pointee : nil
  }

  /// Puts a place into its slot.
  func note(_ place: Document.Place, in slot: Int) {
    places.set(slot, to: place)
  }

  /// The slot of a name, given its fingerprint.
  func slot(of fingerprint: UInt64) -> Int {
    Int(truncatingIfNeeded: fingerprint >> 48) & (names.count - 1)
  }

  /// Whether a name's slot holds a name with the same bytes; an empty slot holds the empty name.
  func has(_ name: String, _ fingerprint: UInt64, in slot: Int) -> Bool {
    guard let held = names.address(of: slot) else { return name.isEmpty }
    return held.pointee.fingerprint == fingerprint && held.pointee.text.isSpelled(as: name)
  }

  /// The name that was last written or read as text, which is still in its slot.
  var lastName: String {
    lastSlot.pointee.flatMap { names.address(of: $0)?.pointee.text } ?? ""
  }

  /// How a name is written: its slot, and whether the slot has it.
  struct Form {
    let fingerprint: UInt64
    let slot: Int
    let isRecent: Bool
  }

  /// How a name is written now.
  func form(of name: String) -> Form {
    let fingerprint = name._fingerprint
    let slot = slot(of: fingerprint)
    return Form(fingerprint: fingerprint, slot: slot, isRecent: has(name, fingerprint, in: slot))
  }

  /// Writes a name's slot, or the name.
  func write(_ name: String, _ form: Form, to writer: inout ByteWriter) {
    if form.isRecent { return writer.write(varint: UInt64(form.slot)) }
    name.encode(to: &writer, after: lastName)
    note(name, form.fingerprint, in: form.slot)
  }

  /// The name in a slot; `nil` if it is empty.
  func name(in slot: UInt64) -> String? {
    guard slot < UInt64(names.count) else { return nil }
    if let held = names.address(of: Int(slot)) { return held.pointee.text }
    // The empty name is in its slot from the beginning.
    return self.slot(of: ""._fingerprint) == Int(slot) ? "" : nil
  }

  /// Puts a name that was written as text into its slot.
  func note(_ name: String, _ fingerprint: UInt64, in slot: Int) {
    names.set(slot, to: Name(text: name, fingerprint: fingerprint))
    lastSlot.pointee = slot
  }
}

extension RecentNames {
  /// The memory of a writer, created at its first row.
  static func of(_ writer: inout ByteWriter) -> RecentNames {
    // There is no other kind of memory.
    if let memory = writer.memory { return unsafeDowncast(memory, to: RecentNames.self) }
    let memory = RecentNames()
    writer.memory = memory
    return memory
  }

  /// Gives the memory of a writer to the body.
  ///
  /// The writer is without it meanwhile, so no references are counted.
  static func with(
    _ writer: inout ByteWriter, _ body: (RecentNames, inout ByteWriter) -> Void
  ) {
    let memory = writer.memory.take() ?? RecentNames()
    body(unsafeDowncast(memory, to: RecentNames.self), &writer)
    writer.memory = memory
  }

  /// The memory of a reader, created at its first row; a copy of a reader gets its own.
  static func of(_ reader: inout ByteReader) -> RecentNames {
    if reader.memory == nil {
      reader.memory = RecentNames()
    } else if !isKnownUniquelyReferenced(&reader.memory) {
      reader.memory = reader.memory?.copied()
    }
    guard let memory = reader.memory else { return RecentNames() }
    return unsafeDowncast(memory, to: RecentNames.self)
  }
}
