extension Document.RowKey: CanonicalCodable {
  /// The upper two bits of the first byte: the form of the place.
  private enum PlaceForm {
    static let same: UInt8 = 0
    static let recent: UInt8 = 1 << 6
    static let whole: UInt8 = 2 << 6
    static let mask: UInt8 = 3 << 6
  }

  /// The next two bits: the part of the place.
  private enum PartForm {
    static let field: UInt8 = 0
    static let element: UInt8 = 1 << 4
    static let existence: UInt8 = 2 << 4
    static let deletion: UInt8 = 3 << 4
    static let mask: UInt8 = 3 << 4
  }

  /// Set if the name of a field or list's element is given by its slot among recent names.
  private static var recentName: UInt8 { 1 }
  /// Set if the row says where a list's element stands, of which the name follows.
  private static var position: UInt8 { 2 }
  /// Set if the row is one of a mark, of which the name follows.
  private static var mark: UInt8 { 4 }

  /// Writes the key as the first of its column.
  public func encode(to writer: inout ByteWriter) {
    encode(to: &writer, after: nil)
  }

  /// Reads the first key of a column.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    try self.init(from: &reader, after: nil)
  }

  /// Writes a byte for the forms of place and part, then the place and the part.
  ///
  /// The place of the previous row is omitted. Recently written places and names are
  /// given by their slots.
  public func encode(to writer: inout ByteWriter, after previous: Self?) {
    if writer.forgets { return encodeForgetting(to: &writer, after: previous) }
    let recent = RecentNames.of(&writer)
    let isSame = previous.map { $0.place.isSpelled(as: place) } ?? false
    let placeSlot = isSame ? 0 : recent.slot(of: place)
    let isKnown = !isSame && recent.has(place, in: placeSlot)
    let placeForm = isSame ? PlaceForm.same : isKnown ? PlaceForm.recent : PlaceForm.whole
    var nameForm: RecentNames.Form?
    switch part {
    case .existence: writer.write(placeForm | PartForm.existence)
    case .deletion: writer.write(placeForm | PartForm.deletion)
    case .element: writer.write(placeForm | PartForm.element)
    case .field(let name), .position(let name), .mark(let name):
      let form = recent.form(of: name)
      writer.write(placeForm | fieldForm | (form.isRecent ? Self.recentName : 0))
      nameForm = form
    }
    if isKnown {
      writer.write(varint: UInt64(placeSlot))
    } else if !isSame {
      place.encode(to: &writer, after: recent.lastPlace)
      recent.note(place, in: placeSlot)
    }
    if !isSame { recent.lastPlace = place }
    switch part {
    case .existence, .deletion: break
    case .element(let value): value.encode(to: &writer)
    case .field(let name), .position(let name), .mark(let name):
      if let nameForm { recent.write(name, nameForm, to: &writer) }
    }
  }

  /// Writes a field of the same place as the previous row, as most rows are, without
  /// counting references to the place.
  public static func _encode(
    _ key: UnsafePointer<Self>, after previous: UnsafePointer<Self>?,
    to writer: inout ByteWriter
  ) {
    guard let previous, previous.pointee.place === key.pointee.place, !writer.forgets,
      case .field(let name) = key.pointee.part
    else { return key.pointee.encode(to: &writer, after: previous?.pointee) }
    RecentNames.with(&writer) { recent, writer in
      let form = recent.form(of: name)
      writer.write(PlaceForm.same | PartForm.field | (form.isRecent ? recentName : 0))
      recent.write(name, form, to: &writer)
    }
  }

  /// Writes the same if only the previous row is remembered: places and names are written
  /// in full.
  private func encodeForgetting(to writer: inout ByteWriter, after previous: Self?) {
    let isSame = previous.map { $0.place.isSpelled(as: place) } ?? false
    let placeForm = isSame ? PlaceForm.same : PlaceForm.whole
    switch part {
    case .existence: writer.write(placeForm | PartForm.existence)
    case .deletion: writer.write(placeForm | PartForm.deletion)
    case .element: writer.write(placeForm | PartForm.element)
    case .field, .position, .mark: writer.write(placeForm | fieldForm)
    }
    if !isSame { place.encode(to: &writer, after: previous?.place) }
    switch part {
    case .existence, .deletion: break
    case .element(let value): value.encode(to: &writer)
    case .field(let name), .position(let name), .mark(let name): name.encode(to: &writer)
    }
  }

  /// The bits of a part that has a name.
  private var fieldForm: UInt8 {
    switch part {
    case .position: PartForm.field | Self.position
    case .mark: PartForm.field | Self.mark
    default: PartForm.field
    }
  }

  /// Reads a key that was written after another.
  public init(from reader: inout ByteReader, after previous: Self?) throws(DecodingFailure) {
    let recent = RecentNames.of(&reader)
    var place = previous?.place
    self = try Self.read(from: &reader, after: &place, recent: recent)
  }

  /// Reads a key that follows one with a given place, and updates the place to that of
  /// the key.
  @inline(__always)
  static func read(
    from reader: inout ByteReader, after last: inout Document.Place?, recent: RecentNames
  ) throws(DecodingFailure) -> Self {
    let start = reader.offset
    let head = try reader.readByte()
    let partForm = head & PartForm.mask
    let rest = head & ~(PlaceForm.mask | PartForm.mask)
    guard rest == 0 || partForm == PartForm.field && rest <= recentName | mark else {
      throw DecodingFailure(.notCanonical("what a row is about"), at: start)
    }
    let placeForm = head & PlaceForm.mask
    if placeForm != PlaceForm.same {
      last = try readPlace(placeForm, from: &reader, after: last, recent: recent, at: start)
    }
    guard let place = last else {
      throw DecodingFailure(.notCanonical("the place of a first row"), at: start)
    }
    let part: Part
    var depth = place.depth
    switch partForm {
    case PartForm.field:
      let name = try recent.readName(from: &reader, isInSlot: rest & recentName != 0)
      guard rest & mark == 0 || depth > 0 else {
        throw DecodingFailure(.invalidValue("a mark of a text without a field"), at: start)
      }
      if rest & mark == 0 {
        part = rest & position == 0 ? .field(name) : .position(name)
        depth += 1
      } else {
        part = .mark(name)
      }
      recent.lastDepth = depth
    case PartForm.element:
      let element = try Document.Value(from: &reader)
      part = .element(element)
      recent.lastDepth = depth
      depth += element.depth
    default:
      guard depth == 0 else {
        throw DecodingFailure(.invalidValue("a record within a record"), at: start)
      }
      part = partForm == PartForm.existence ? .existence : .deletion
      recent.lastDepth = 0
    }
    guard depth <= Document.Value.maximumDepth else {
      throw DecodingFailure(.nestedTooDeep, at: start)
    }
    return Self(place, part)
  }

  private static func readPlace(
    _ form: UInt8, from reader: inout ByteReader, after previous: Document.Place?,
    recent: RecentNames, at start: Int
  ) throws(DecodingFailure) -> Document.Place {
    let place: Document.Place
    switch form {
    case PlaceForm.recent:
      let slot = try reader.readVarint()
      guard let known = recent.place(in: slot) else {
        throw DecodingFailure(.outOfBounds("a recent place"), at: start)
      }
      place = known
    case PlaceForm.whole:
      place = try Document.Place.read(from: &reader, after: recent.lastPlace)
      let slot = recent.slot(of: place)
      guard !recent.has(place, in: slot) else {
        throw DecodingFailure(.notCanonical("a place that was written lately"), at: start)
      }
      recent.note(place, in: slot)
    default:
      throw DecodingFailure(.notCanonical("what a row is about"), at: start)
    }
    if let previous, place.isSpelled(as: previous) {
      throw DecodingFailure(.notCanonical("the place of the row before"), at: start)
    }
    recent.lastPlace = place
    return place
  }
}

extension Document.Place {
  /// Writes the collection, the record, the number of names in the path, and the names.
  ///
  /// Each text is encoded relative to the corresponding one of the previous place.
  func encode(to writer: inout ByteWriter, after previous: Document.Place?) {
    collection.encode(to: &writer, after: previous?.collection)
    record.encode(to: &writer, after: previous?.record)
    writer.write(varint: UInt64(depth))
    for name in path.names { name.encode(to: &writer) }
  }

  /// Reads a place that was written after another.
  static func read(
    from reader: inout ByteReader, after previous: Document.Place?
  ) throws(DecodingFailure) -> Document.Place {
    let collection = try reader.readName(after: previous?.collection)
    let record = try reader.readName(after: previous?.record)
    try reader.count(objectOf: Document.Place.size)
    var place = Document.Place(record: record, in: collection, near: previous)
    let start = reader.offset
    let depth = try reader.readVarint()
    guard depth <= UInt64(Document.Value.maximumDepth) else {
      throw DecodingFailure(.nestedTooDeep, at: start)
    }
    for _ in 0..<depth {
      try reader.count(objectOf: Document.Place.size)
      place = place.appending(try reader.readName(after: nil))
    }
    return place
  }
}

extension RecentNames {
  /// Reads a name's slot, or the name.
  func readName(
    from reader: inout ByteReader, isInSlot: Bool
  ) throws(DecodingFailure) -> String {
    let start = reader.offset
    if isInSlot {
      guard let name = name(in: try reader.readVarint()) else {
        throw DecodingFailure(.outOfBounds("a recent name"), at: start)
      }
      return name
    }
    let name = try reader.readName(after: lastName)
    let fingerprint = name._fingerprint
    let slot = slot(of: fingerprint)
    guard !has(name, fingerprint, in: slot) else {
      throw DecodingFailure(.notCanonical("a name that was written lately"), at: start)
    }
    note(name, fingerprint, in: slot)
    return name
  }
}
