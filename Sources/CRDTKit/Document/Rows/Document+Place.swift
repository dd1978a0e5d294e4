extension Document {
  /// The location of rows: a record, or an object nested in it.
  ///
  /// Rows hold their place by reference, and share it if they can. So pages of rows move
  /// between documents without a table of names to translate.
  final class Place: Sendable {
    let collection: String
    let record: String
    /// The place around this one; `nil` for a record.
    let parent: Place?
    /// The name of the object in its parent; empty for a record.
    let name: String
    /// The number of objects around the place.
    let depth: Int
    /// The hash of the place, which differs between processes.
    let hash: Int
    /// The hash of the collection.
    let collectionHash: Int
    /// A number computed from the names, the same on every machine.
    let fingerprint: UInt64

    /// The memory of a place in bytes, without its texts.
    static var size: Int { 112 }

    /// Creates the place of a record; another place in the same collection saves work.
    convenience init(record: String, in collection: String, near other: Place? = nil) {
      self.init(RecordName(record, in: collection, near: other))
    }

    /// Creates the place of a record.
    init(_ name: RecordName) {
      (collection, collectionHash) = (name.collection, name.collectionHash)
      (record, hash) = (name.record, name.hash)
      parent = nil
      self.name = ""
      depth = 0
      var fingerprint = Fingerprint()
      collection.withUTF8Bytes { fingerprint.combine($0) }
      record.withUTF8Bytes { fingerprint.combine($0) }
      self.fingerprint = fingerprint.value
    }

    private init(_ name: String, in parent: Place) {
      collection = parent.collection
      record = parent.record
      collectionHash = parent.collectionHash
      self.parent = parent
      self.name = name
      depth = parent.depth + 1
      hash = Place.hash(name, beneath: parent.hash)
      var fingerprint = Fingerprint(parent.fingerprint)
      name.withUTF8Bytes { fingerprint.combine($0) }
      self.fingerprint = fingerprint.value
    }

    /// The place of an object in this one.
    func appending(_ name: String) -> Place {
      Place(name, in: self)
    }

    /// The hash of a collection, under which its records are grouped.
    static func hash(ofCollection collection: String) -> Int {
      hash(collection, beneath: 0)
    }

    fileprivate static func hash(_ name: String, beneath outer: Int) -> Int {
      var hasher = Hasher()
      hasher.combine(outer)
      KeyIdentity.hash(name, into: &hasher)
      return hasher.finalize()
    }
  }
}

extension Document {
  /// The names of a record, with the hashes by which its rows are found.
  ///
  /// It is a place that isn't allocated, for look-ups.
  struct RecordName: Hashable {
    let record: String
    let collection: String
    /// The hash of the collection.
    let collectionHash: Int
    /// The hash of the record's place.
    let hash: Int

    /// Another place in the same collection saves work.
    init(_ record: String, in collection: String, near other: Place? = nil) {
      self.record = record
      if let other, other.collection.isSpelled(as: collection) {
        self.collection = other.collection
        collectionHash = other.collectionHash
      } else {
        self.collection = collection
        collectionHash = Place.hash(ofCollection: collection)
      }
      hash = Place.hash(record, beneath: collectionHash)
    }

    /// The names of a record's place.
    init(_ place: Place) {
      (record, collection) = (place.record, place.collection)
      (collectionHash, hash) = (place.collectionHash, place.hash)
    }

    /// Hashes as the keys of the rows about the record as a whole.
    func hash(into hasher: inout Hasher) {
      hasher.combine(hash)
      hasher.combine(RowKey.recordMark)
    }

    /// Whether the place is that of the record.
    func isName(of place: Place) -> Bool {
      place.hash == hash && place.parent == nil && KeyIdentity.areSame(place.record, record)
        && KeyIdentity.areSame(place.collection, collection)
    }
  }
}

extension Document.Place {
  /// The path of the object in its record.
  var path: FieldPath {
    guard let parent else { return FieldPath([]) }
    return parent.path.appending(name)
  }

  /// Whether this is the other place or nested in it at any depth.
  func isWithin(_ other: Document.Place) -> Bool {
    var place = self
    while place.depth > other.depth, let parent = place.parent { place = parent }
    return place == other
  }
}

extension Document.Place {
  /// The start of the text whose characters are the places of the list here.
  ///
  /// It is made from the bytes of the names, as that of a text, and differs from it.
  var listStart: Dot {
    var writer = ByteWriter()
    encode(to: &writer, after: nil)
    writer.write(1 as UInt8)
    return writer.withBytes { Dot.start(of: $0) }
  }
}

extension Document.Place {
  /// Whether the other place's names have the same bytes; equal names may differ in
  /// bytes.
  func isSpelled(as other: Document.Place) -> Bool {
    if self === other { return true }
    guard fingerprint == other.fingerprint, depth == other.depth else { return false }
    guard let parent, let otherParent = other.parent else {
      return record.isSpelled(as: other.record) && collection.isSpelled(as: other.collection)
    }
    return name.isSpelled(as: other.name) && parent.isSpelled(as: otherParent)
  }
}

extension Document.Place: Equatable {
  static func == (left: Document.Place, right: Document.Place) -> Bool {
    if left === right { return true }
    guard left.hash == right.hash, left.depth == right.depth else { return false }
    guard let leftParent = left.parent, let rightParent = right.parent else {
      return KeyIdentity.areSame(left.record, right.record)
        && KeyIdentity.areSame(left.collection, right.collection)
    }
    return KeyIdentity.areSame(left.name, right.name) && leftParent == rightParent
  }
}
