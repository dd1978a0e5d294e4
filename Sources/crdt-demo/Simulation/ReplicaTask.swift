import CRDTKit

/// What a replica's operations are.
struct ReplicaTask: Equatable {
  var workload = Workload.mixed
  /// How many keys are changed, but in mixed operations.
  var keys = 64
  /// The changes of a history that are the replica's to make, in place of drawn ones.
  var script: [HistoryEdit]?
}

extension ReplicaTask {
  func encode(to writer: inout ByteWriter) {
    workload.rawValue.encode(to: &writer)
    keys.encode(to: &writer)
    (script != nil).encode(to: &writer)
    (script ?? []).map { $0.key << 1 | ($0.isRemoval ? 1 : 0) }.encode(to: &writer)
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let workload = Workload(rawValue: try String(from: &reader))
    keys = try Int(from: &reader)
    guard let workload, keys > 0 else {
      throw DecodingFailure(.outOfBounds("what a replica is to do"), at: start)
    }
    self.workload = workload
    let isScripted = try Bool(from: &reader)
    let numbers = try [Int](from: &reader)
    guard isScripted else { return }
    script = numbers.map { HistoryEdit(key: $0 >> 1, isRemoval: $0 & 1 == 1) }
  }
}
