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
  // Behind pointers, which have no checks for overlapping access: a memory is changed
  // only by the one writer or reader that holds it.
  private let places: UnsafeMutablePointer<Document.Place?>
  private let names: UnsafeMutablePointer<String>
  /// The fingerprint of each name; it alone distinguishes most names.
  private let fingerprints: UnsafeMutablePointer<UInt64>
  private static let placeCount = 256
  private static let nameCount = 1_024

  /// The place that was last written or read.
  var lastPlace: Document.Place?
  /// The slot of the name that was last written or read as text; `nil` before the first.
  private let lastSlot: UnsafeMutablePointer<Int?>
  /// The slots of names that have changed since the beginning.
  private var noted: [Int] = []
  /// The number of names that lead to the last row that was read.
  var lastDepth = 0

  override init() {
    places = .allocate(capacity: Self.placeCount)
    places.initialize(repeating: nil, count: Self.placeCount)
    names = .allocate(capacity: Self.nameCount)
    names.initialize(repeating: "", count: Self.nameCount)
    fingerprints = .allocate(capacity: Self.nameCount)
    fingerprints.initialize(repeating: ""._fingerprint, count: Self.nameCount)
    lastSlot = .allocate(capacity: 1)
    lastSlot.initialize(to: nil)
  }

  deinit {
    places.deinitialize(count: Self.placeCount)
    places.deallocate()
    names.deinitialize(count: Self.nameCount)
    names.deallocate()
    fingerprints.deallocate()
    lastSlot.deallocate()
  }

  override func forget() {
    places.update(repeating: nil, count: Self.placeCount)
    let fingerprint = ""._fingerprint
    for slot in noted { (names[slot], fingerprints[slot]) = ("", fingerprint) }
    noted.removeAll(keepingCapacity: true)
    lastPlace = nil
    lastSlot.pointee = nil
    lastDepth = 0
  }

  override func copied() -> CodingMemory {
    let copy = RecentNames()
    copy.places.update(from: places, count: Self.placeCount)
    copy.names.update(from: names, count: Self.nameCount)
    copy.fingerprints.update(from: fingerprints, count: Self.nameCount)
    copy.noted = noted
    copy.lastPlace = lastPlace
    copy.lastSlot.pointee = lastSlot.pointee
    copy.lastDepth = lastDepth
    return copy
  }
}

extension RecentNames {
  /// The slot of a place.
  func slot(of place: Document.Place) -> Int {
    Int(truncatingIfNeeded: place.fingerprint >> 56) & (Self.placeCount - 1)
  }

  /// Whether a slot holds a place with the same bytes in its names.
  func has(_ place: Document.Place, in slot: Int) -> Bool {
    places[slot].map { $0.isSpelled(as: place) } ?? false
  }

  /// The place in a slot; `nil` if it is empty.
  func place(in slot: UInt64) -> Document.Place? {
    slot < UInt64(Self.placeCount) ? places[Int(slot)] : nil
  }

  /// Puts a place into its slot.
  func note(_ place: Document.Place, in slot: Int) {
    places[slot] = place
  }

  /// The slot of a name, given its fingerprint.
  func slot(of fingerprint: UInt64) -> Int {
    Int(truncatingIfNeeded: fingerprint >> 48) & (Self.nameCount - 1)
  }

  /// Whether a slot holds a name with the same bytes.
  func has(_ name: String, _ fingerprint: UInt64, in slot: Int) -> Bool {
    fingerprints[slot] == fingerprint && names[slot].isSpelled(as: name)
  }

  /// The name that was last written or read as text, which is still in its slot.
  var lastName: String { lastSlot.pointee.map { names[$0] } ?? "" }

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
    guard slot < UInt64(Self.nameCount) else { return nil }
    let name = names[Int(slot)]
    // The empty name is in every slot at the beginning, but belongs in only one.
    return !name.isEmpty || self.slot(of: name._fingerprint) == Int(slot) ? name : nil
  }

  /// Puts a name that was written as text into its slot.
  func note(_ name: String, _ fingerprint: UInt64, in slot: Int) {
    if names[slot].isEmpty { noted.append(slot) }
    names[slot] = name
    fingerprints[slot] = fingerprint
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
