import CRDTKit

/// Reads the records of a segment's batches, in order.
struct BatchReader {
  private var names: CodingMemory?
  private(set) var clockTime: UInt64 = 0
  /// Whether the names that the next batches refer to were read.
  private var isInStep = true

  /// Skips a batch that can't be read: only a later one that spells out its names can be.
  mutating func skip() {
    isInStep = false
    names = nil
  }

  /// Calls the body with each record of a batch, and the clock's time after it.
  ///
  /// - Throws: ``DecodingFailure`` if the bytes are invalid; the errors of the body.
  mutating func read(
    _ batch: OpenedBody,
    _ body: (_ record: SegmentRecord, _ clockTime: UInt64) throws(StoreError) -> Void
  ) throws(BatchFailure) {
    var reader = batch.reader
    do {
      try begin(&reader)
    } catch {
      throw .unreadable(DecodingFailure(error.reason, at: batch.shift + error.offset))
    }
    while reader.remaining > 0 {
      let start = reader.offset
      let record: SegmentRecord
      do {
        record = try next(&reader)
      } catch {
        skip()
        throw .unreadable(DecodingFailure(error.reason, at: batch.shift + error.offset))
      }
      do {
        try body(record, clockTime)
      } catch {
        throw .refused(error, at: batch.shift + start)
      }
    }
  }

  private mutating func begin(_ reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    switch try reader.readByte() {
    case 1:
      names = nil
      clockTime = 0
      isInStep = true
    case 0:
      guard isInStep else {
        throw DecodingFailure(.invalidValue("it goes on from a batch that is damaged"), at: start)
      }
    default:
      throw DecodingFailure(.invalidValue("an unknown kind of batch"), at: start)
    }
  }

  private mutating func next(_ reader: inout ByteReader) throws(DecodingFailure) -> SegmentRecord {
    let start = reader.offset
    guard let code = SegmentRecord.Code(rawValue: try reader.readByte()) else {
      throw DecodingFailure(.invalidValue("an unknown kind of record"), at: start)
    }
    switch code {
    case .change:
      clockTime = clockTime &+ UInt64(bitPattern: try reader.readSignedVarint())
      return .change(try TableDelta<Document>(bodyFrom: &reader, remembering: &names))
    case .received:
      clockTime = clockTime &+ UInt64(bitPattern: try reader.readSignedVarint())
      let count = try reader.readCount(of: "bytes")
      let start = reader.offset
      let bytes = Array(try reader.readBytes(count))
      do {
        return .change(try TableDelta<Document>(decoding: bytes))
      } catch {
        throw DecodingFailure(error.reason, at: start + error.offset)
      }
    case .mended:
      clockTime = clockTime &+ UInt64(bitPattern: try reader.readSignedVarint())
      let count = try reader.readCount(of: "replicas")
      var forks: ContiguousArray<ReplicaID> = []
      for _ in 0..<count { forks.append(try ReplicaID(from: &reader)) }
      guard !forks.isEmpty else {
        throw DecodingFailure(.notCanonical("a change that mended nothing"), at: start)
      }
      let delta = try TableDelta<Document>(bodyFrom: &reader, remembering: &names)
      return .change(delta, mending: forks)
    case .replica:
      return .replica(try ReplicaID(from: &reader), home: try reader.readFixed(UInt64.self))
    case .peers: return .peers(try [PeerRecord](listFrom: &reader))
    case .peer: return .peer(try PeerRecord(from: &reader))
    case .forgottenPeer: return .forgottenPeer(try ReplicaID(from: &reader))
    case .line:
      let line = try reader.readFixed(UInt64.self)
      return .line(line, after: try reader.readFixed(UInt64.self))
    case .schemaVersion: return .schemaVersion(try reader.readVarint())
    case .end: return .end
    case .document: return .document(try DocumentIdentity?(from: &reader))
    case .local: return .local(try [LocalChange](listFrom: &reader))
    }
  }
}

/// Why a batch was not completely applied.
enum BatchFailure: Error {
  /// Its bytes are invalid.
  case unreadable(DecodingFailure)
  /// The record that begins at an offset was refused.
  case refused(StoreError, at: Int)
}
