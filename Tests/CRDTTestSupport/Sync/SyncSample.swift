package import CRDTKit

/// Small limits, under which even small values take several frames and windows.
package let tightLimits = SyncLimits(
  maximumFrameBytes: 64, windowBytes: 96, maximumTransferBytes: 1 << 20, maximumReplicas: 100)

/// Map from texts to registers, in schedules.
package typealias TextRegisters = MergeMap<String, MVRegister<String>>

/// A type as the sync tests need it: values that can be changed at random.
package protocol SyncSample: TableBacked {
  static func make() -> Self
  /// Makes the change that a number stands for; larger numbers make larger rows.
  mutating func change(_ number: Int, by replica: ReplicaID)
}

extension ORSet: SyncSample where Element == String {
  package static func make() -> ORSet<String> { ORSet() }

  package mutating func change(_ number: Int, by replica: ReplicaID) {
    if number % 4 == 3, let element = first(where: { _ in true }) {
      remove(element, by: replica)
    } else {
      insert("element \(number % 23)", by: replica)
    }
  }
}

extension MergeMap: SyncSample where Key == String, Value == MVRegister<String> {
  package static func make() -> TextRegisters { MergeMap() }

  package mutating func change(_ number: Int, by replica: ReplicaID) {
    if number % 5 == 4 {
      removeValue(forKey: "key \(number % 7)", by: replica)
    } else {
      update("key \(number % 7)", by: replica) { $0.set("value \(number)") }
    }
  }
}

extension Document: SyncSample {
  package static func make() -> Document { Document() }

  package mutating func change(_ number: Int, by replica: ReplicaID) {
    let record = "record \(number % 5)"
    let stamp = HybridTimestamp(milliseconds: UInt64(number), replica: replica)
    edit(at: stamp) { edit in
      switch number % 7 {
      case 5: edit.delete(record, in: "things")
      case 6:
        edit.set(
          ["parts", "number \(number % 3)"], of: record, in: "things", to: .int(Int64(number)))
      case let name: edit.set(["field \(name)"], of: record, in: "things", to: "value \(number)")
      }
    }
  }
}

extension ReplicatedText: SyncSample {
  package static func make() -> ReplicatedText { ReplicatedText() }

  package mutating func change(_ number: Int, by replica: ReplicaID) {
    let count = count(in: .unicodeScalars)
    let place = index(number * 7 % (count + 1), in: .unicodeScalars)
    if number % 4 == 3, count > 0 {
      let end = index(number * 7 % (count + 1) + number % 9, in: .unicodeScalars)
      removeSubrange(place..<end, by: replica)
    } else if number % 6 == 4, count > 0 {
      let end = index(number * 7 % (count + 1) + number % 9, in: .unicodeScalars)
      mark(place..<end, as: "mark \(number % 2)", value: "\(number)", by: replica)
    } else {
      insert(String(repeating: "é \(number) ", count: 1 + number % 3), at: place, by: replica)
    }
  }
}

/// List of registers, in schedules.
package typealias ListOfTexts = ReplicatedList<MVRegister<String>>

extension ReplicatedList: SyncSample where Value == MVRegister<String> {
  package static func make() -> ListOfTexts { ReplicatedList() }

  package mutating func change(_ number: Int, by replica: ReplicaID) {
    let place = isEmpty ? 0 : number * 7 % count
    switch number % 6 {
    case 3 where !isEmpty: move(from: place, to: number % count, by: replica)
    case 4 where !isEmpty: replace(at: place, with: "changed \(number)", by: replica)
    case 5 where !isEmpty: removeSubrange(place..<Swift.min(place + number % 3, count), by: replica)
    default:
      insert(
        contentsOf: (0...number % 3).map { "element \(number).\($0)" }, at: place, by: replica)
    }
  }
}

extension SyncSample {
  /// A value with some changes by each of some replicas, and two copies of it that
  /// were changed apart.
  package static func apart(shared: Int, left: Int, right: Int) -> (left: Self, right: Self) {
    var base = make()
    for number in 0..<shared {
      base.change(number, by: ReplicaID(UInt64(1 + number % 3)))
    }
    var (one, other) = (base, base)
    for number in 0..<left { one.change(100 + number, by: ReplicaID(1)) }
    for number in 0..<right { other.change(200 + number, by: ReplicaID(2)) }
    return (one, other)
  }

  /// Peers of two copies that were changed apart.
  package static func wire(
    shared: Int = 6, left: Int = 8, right: Int = 7, limits: SyncLimits = tightLimits
  ) -> Wire<Self> {
    let (one, other) = apart(shared: shared, left: left, right: right)
    return Wire(
      Peer(one, as: ReplicaID(1), limits: limits), Peer(other, as: ReplicaID(2), limits: limits))
  }
}
