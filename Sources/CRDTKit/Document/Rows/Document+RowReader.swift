extension Document {
  /// Reads a document's rows: of the row before it keeps the place and the time.
  ///
  /// Meanwhile it has the reader's memory to itself, so that no row has to ask
  /// whether it is shared.
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
    self.init(table: try DotTable(from: &reader, reading: RowReader.self))
  }

  /// Reads the canonical form of a delta's changes.
  public static func _readChanges(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> DotTable<RowKey, RowPayload>.Delta {
    try DotTable.Delta(from: &reader, reading: RowReader.self)
  }
}

/// The places and names of fields that were written lately: they are not written
/// again, but given by their slot here.
///
/// Writer and reader keep such a memory each. Both make the same of the same
/// rows, since a name's slot follows from its bytes, and the newest in a slot
/// stays; so there is nothing to send, and nothing grows.
final class RecentNames: CodingMemory, @unchecked Sendable {
  // Behind pointers, which no check for overlapping accesses guards: a memory is
  // changed only through the one writer or reader that holds it.
  private let places: UnsafeMutablePointer<Document.Place?>
  private let names: UnsafeMutablePointer<String>
  /// The fingerprint of each name: most are told apart by it alone.
  private let fingerprints: UnsafeMutablePointer<UInt64>
  private static let placeCount = 256
  private static let nameCount = 1_024

  /// The place that was last written or read.
  var lastPlace: Document.Place?
  /// The name that was last written or read as text.
  var lastName = ""
  /// The slots of names that aren't as they were at the beginning.
  private var noted: [Int] = []
  /// How many names lead to the row that was last read.
  var lastDepth = 0

  override init() {
    places = .allocate(capacity: Self.placeCount)
    places.initialize(repeating: nil, count: Self.placeCount)
    names = .allocate(capacity: Self.nameCount)
    names.initialize(repeating: "", count: Self.nameCount)
    fingerprints = .allocate(capacity: Self.nameCount)
    fingerprints.initialize(repeating: "".fingerprint, count: Self.nameCount)
  }

  deinit {
    places.deinitialize(count: Self.placeCount)
    places.deallocate()
    names.deinitialize(count: Self.nameCount)
    names.deallocate()
    fingerprints.deallocate()
  }

  override func forget() {
    places.update(repeating: nil, count: Self.placeCount)
    let fingerprint = "".fingerprint
    for slot in noted { (names[slot], fingerprints[slot]) = ("", fingerprint) }
    noted.removeAll(keepingCapacity: true)
    lastPlace = nil
    lastName = ""
    lastDepth = 0
  }

  override func copied() -> CodingMemory {
    let copy = RecentNames()
    copy.places.update(from: places, count: Self.placeCount)
    copy.names.update(from: names, count: Self.nameCount)
    copy.fingerprints.update(from: fingerprints, count: Self.nameCount)
    copy.noted = noted
    copy.lastPlace = lastPlace
    copy.lastName = lastName
    copy.lastDepth = lastDepth
    return copy
  }
}

extension RecentNames {
  /// The slot of a place.
  func slot(of place: Document.Place) -> Int {
    Int(truncatingIfNeeded: place.fingerprint >> 56) & (Self.placeCount - 1)
  }

  /// Whether a slot holds just the bytes of a place's names.
  func has(_ place: Document.Place, in slot: Int) -> Bool {
    places[slot].map { $0.isSpelled(as: place) } ?? false
  }

  /// The place in a slot; `nil` where there is none.
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

  /// Whether a slot holds just the bytes of a name.
  func has(_ name: String, _ fingerprint: UInt64, in slot: Int) -> Bool {
    fingerprints[slot] == fingerprint && names[slot].isSpelled(as: name)
  }

  /// The name in a slot; `nil` where there is none.
  func name(in slot: UInt64) -> String? {
    guard slot < UInt64(Self.nameCount) else { return nil }
    let name = names[Int(slot)]
    // The empty name stands in every slot from the beginning, but belongs in one.
    return !name.isEmpty || self.slot(of: name.fingerprint) == Int(slot) ? name : nil
  }

  /// Puts a name that was written as text into its slot.
  func note(_ name: String, _ fingerprint: UInt64, in slot: Int) {
    if names[slot].isEmpty { noted.append(slot) }
    names[slot] = name
    fingerprints[slot] = fingerprint
    lastName = name
  }
}

extension RecentNames {
  /// The memory of a writer, made at its first row.
  static func of(_ writer: inout ByteWriter) -> RecentNames {
    // There is no other kind of memory.
    if let memory = writer.memory { return unsafeDowncast(memory, to: RecentNames.self) }
    let memory = RecentNames()
    writer.memory = memory
    return memory
  }

  /// The memory of a reader, made at its first row; its own, where it is a copy.
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
