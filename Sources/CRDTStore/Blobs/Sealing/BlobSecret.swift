import CRDTKit

/// What a sealed store of blobs names its files by: a random secret of its own, which is only
/// ever written sealed.
///
/// It stands in a file of its own, and once more in each blob's, so that it is not lost with
/// that one file.
struct BlobSecret: Hashable {
  static let size = 32

  /// The random number of the store, which stands unsealed in the heads of its files.
  let store: UInt64
  /// The key of the names.
  let key: [UInt8]
  /// How often something had been sealed, at most, when this was written.
  var seals: UInt64 = 0
  /// Whether blobs that aren't sealed are still being taken over.
  var isAdopting = false

  /// Makes another secret.
  init(_ makeNumber: () -> UInt64) {
    store = makeNumber()
    key = (0..<Self.size / 8).flatMap { _ in
      withUnsafeBytes(of: makeNumber().littleEndian) { Array($0) }
    }
  }

  func encode(to writer: inout ByteWriter) {
    writer.write(isAdopting ? 1 : 0 as UInt8)
    writer.write(key)
    writer.write(varint: seals)
  }

  init(from reader: inout ByteReader, store: UInt64) throws(DecodingFailure) {
    self.store = store
    let kind = try reader.readByte()
    guard kind <= 1 else {
      throw DecodingFailure(.invalidValue("an unknown kind of secret"), at: reader.offset - 1)
    }
    isAdopting = kind == 1
    key = Array(try reader.readBytes(Self.size))
    seals = try reader.readVarint()
  }

  /// Whether two are of one store, whatever they say of how far it has come.
  func isSame(as other: BlobSecret) -> Bool { store == other.store && key == other.key }
}
