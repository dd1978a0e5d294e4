/// The key of a row of a ``ReplicatedList``: an element, and the key of a row of its value; or
/// an element alone, for a row that says where the element stands.
@frozen
public struct ListRowKey<Inner: Hashable & CanonicalCodable>: Sendable {
  /// The element.
  public var element: ListElementID
  /// The row's key in the element's value; `nil` for a row that says where the element stands.
  public var inner: Inner?

  /// Creates the key of a row of an element.
  @inlinable
  public init(_ element: ListElementID, _ inner: Inner?) {
    self.element = element
    self.inner = inner
  }
}

extension ListRowKey: PlaceKey {
  @inlinable
  var isPlace: Bool { inner == nil }

  @inlinable
  init(placeOf element: ListElementID) {
    self.init(element, nil)
  }
}

extension ListRowKey: Hashable {
  /// Returns whether both parts are the same.
  @inlinable
  public static func == (left: ListRowKey, right: ListRowKey) -> Bool {
    guard left.element == right.element else { return false }
    guard let mine = left.inner, let theirs = right.inner else {
      return left.inner == nil && right.inner == nil
    }
    return KeyIdentity.areSame(mine, theirs)
  }

  /// Hashes both parts.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(element)
    if let inner { KeyIdentity.hash(inner, into: &hasher) }
  }
}

extension ListRowKey: GroupedKey {
  /// The prefixes of a row of a value are the element, and the element with each prefix of the
  /// key in the value.
  @inlinable
  package func forEachPrefixHash(_ body: (Int) -> Void) {
    guard let inner else { return }
    let hash = element.hashValue
    body(hash)
    guard let inner = inner as? any GroupedKey else { return }
    inner.forEachPrefixHash { body(Self.prefixHash(hash, $0)) }
  }

  /// Returns the hash of a prefix that continues below an element.
  @inlinable
  package static func prefixHash(_ element: Int, _ inner: Int) -> Int {
    NestedKey<ListElementID, Inner>.prefixHash(element, inner)
  }
}

extension ListRowKey: OwnsElements {
  @usableFromInline
  package var isOfElementBefore: Bool { isPlace }

  /// Returns the key after a line of events was renamed, if that inserted the element.
  @usableFromInline
  package func reissued(_ reissue: Reissue, isOwn: Bool) -> ListRowKey? {
    let dot = element.dot
    guard dot.replica == reissue.replica, dot.counter > reissue.parting else { return nil }
    return ListRowKey(ListElementID(Dot(reissue.name, dot.counter)), inner)
  }

  @usableFromInline
  package var namedReplicas: ContiguousArray<ReplicaID> { [element.dot.replica] }
}

extension ListRowKey: CanonicalCodable {
  /// The type code of the key in the value.
  @inlinable
  public static var typeCode: [UInt8] { Inner.typeCode }

  /// Writes the key as the first of its column.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    encode(to: &writer, after: nil)
  }

  /// Reads the first key of a column.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    try self.init(from: &reader, after: nil)
  }

  /// Writes the element relative to that of the previous key, then the key in the value.
  ///
  /// The lowest bit of the first number is 1 for a row that says where the element stands; the
  /// second is 1 if the element's replica is another one, which follows then.
  @inlinable
  public func encode(to writer: inout ByteWriter, after previous: ListRowKey?) {
    let isOther = previous?.element.dot.replica != element.dot.replica
    let step = Int64(element.dot.counter) - Int64(previous?.element.dot.counter ?? 0)
    let zigzag = UInt64(bitPattern: (step << 1) ^ (step >> 63))
    writer.write(varint: zigzag << 2 | (isOther ? 2 : 0) | (inner == nil ? 1 : 0))
    if isOther { element.dot.replica.encode(to: &writer) }
    inner?.encode(to: &writer, after: previous?.inner)
  }

  /// Reads a key that was written after another one.
  @inlinable
  public init(
    from reader: inout ByteReader, after previous: ListRowKey?
  ) throws(DecodingFailure) {
    let start = reader.offset
    let word = try reader.readVarint()
    let step = Int64(bitPattern: word >> 3) ^ -Int64(bitPattern: word >> 2 & 1)
    let counter = Int64(previous?.element.dot.counter ?? 0) + step
    guard counter >= 1, counter <= Int64(Dot.counterMax) else {
      throw DecodingFailure(.outOfBounds("an event's counter"), at: start)
    }
    let replica: ReplicaID
    if word & 2 == 0 {
      guard let previous else {
        throw DecodingFailure(.notCanonical("the replica of an element"), at: start)
      }
      replica = previous.element.dot.replica
    } else {
      replica = try ReplicaID(from: &reader)
      guard replica != previous?.element.dot.replica else {
        throw DecodingFailure(.notCanonical("the replica of an element"), at: start)
      }
    }
    element = ListElementID(Dot(replica, UInt64(counter)))
    inner = word & 1 == 1 ? nil : try Inner(from: &reader, after: previous?.inner)
  }

  /// A number made from the fingerprints of both parts.
  @inlinable
  public var _fingerprint: UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.combine(element._fingerprint)
    if let inner { fingerprint.combine(inner._fingerprint) }
    return fingerprint.value
  }
}
