import CRDTKit

/// Rows and greetings that each name another replica, or stand in another's way: what costs
/// more than it pays for where it is dealt with one by one.
enum MadeUp {
  static let schema = Schema(collections: [
    "c": Schema.Collection(fields: ["n": .counter, "m": .manual, "o.*": .manual])
  ])

  /// Replicas of which each comes before those before it.
  private static func name(_ number: Int) -> ReplicaID { ReplicaID(1 << 40 - UInt64(number)) }

  /// A record, and rows that replace nothing.
  private static func document(
    with rows: (_ number: Int) -> Document, _ count: Int
  ) -> Document {
    var document = Document(schema: schema)
    document.edit(at: .of(.author)) { $0.set("f", of: "r", in: "c", to: .int(1)) }
    for number in 0..<count { document.add(rows(number).row(0), as: number) }
    return document
  }

  /// Deletions of a record, each of which has seen another replica.
  static func deletions(_ count: Int) -> Document {
    document(
      with: { number in
        var document = Document(schema: schema)
        document.edit(at: .of(name(number))) { $0.create("r", in: "c") }
        document.edit(at: .of(name(number), round: 1)) { $0.delete("r", in: "c") }
        return document
      }, count)
  }

  /// Removals of a counter, each of which has seen another replica.
  static func removals(_ count: Int) -> Document {
    document(
      with: { number in
        var document = Document(schema: schema)
        document.edit(at: .of(name(number))) { _ = try? $0.increment("n", of: "r", in: "c") }
        document.edit(at: .of(name(number), round: 1)) { $0.remove("n", of: "r", in: "c") }
        return document
      }, count)
  }

  /// Two removals of a counter that replicas have counted in stretches; those that one has
  /// seen stand between those of the other.
  static func traces(_ count: Int) -> Document {
    var documents = [Document(schema: schema), Document(schema: schema)]
    for number in 0..<count {
      let replica = ReplicaID(UInt64(1_000 + number))
      documents[number % 2].edit(at: .of(replica)) { _ = try? $0.increment("n", of: "r", in: "c") }
      documents[number % 2]._table.beginStretch(of: replica, nonce: 1)
      documents[number % 2].edit(at: .of(replica, round: 1)) {
        _ = try? $0.increment("n", of: "r", in: "c")
      }
    }
    for place in 0..<2 {
      documents[place].edit(at: .of(ReplicaID(UInt64(1 + place)), round: 2)) {
        $0.remove("n", of: "r", in: "c")
      }
    }
    return documents[0].merging(documents[1])
  }

  /// Objects in one field, and fields in the object.
  static func objects(_ count: Int) -> Document {
    var document = Document(schema: schema)
    document.edit(at: .of(.author)) { edit in
      for number in 0..<count { edit.set(["m", "\(number)"], of: "r", in: "c", to: .int(1)) }
    }
    let object = document.row(count)
    for number in 0..<count { document.add(object, as: number) }
    return document
  }

  /// Conflicts of a record that was deleted as well, in an object that many have made.
  static func conflicts(_ count: Int) -> Document {
    var deleted = Document(schema: schema)
    deleted.edit(at: .of(.author)) { $0.create("r", in: "c") }
    deleted.edit(at: .of(.author, round: 1)) { $0.delete("r", in: "c") }
    for (place, replica) in [ReplicaID.left, .right].enumerated() {
      var document = Document(schema: schema)
      document.edit(at: .of(replica)) { edit in
        for number in 0..<count {
          edit.set(["o", "\(number)"], of: "r", in: "c", to: .int(Int64(place)))
        }
      }
      let object = document.row(count)
      for number in 0..<count { deleted.add(object, as: number) }
      deleted.merge(document)
    }
    return deleted
  }

  /// An event each of many replicas, in stretches of their own names, or in one.
  static func set(_ count: Int, startingAt first: Int, stretch: UInt32? = nil) -> ORSet<Int> {
    var set = ORSet<Int>()
    for number in 0..<count {
      let replica = ReplicaID(UInt64(1_000 + number))
      set.insert(stretch == nil ? first + number : number, by: replica)
      guard let stretch else { continue }
      set._table.beginStretch(of: replica, nonce: UInt32(2 * number) + stretch)
      if stretch == 1 { set.insert(number, by: replica) }
    }
    return set
  }
}

extension Document {
  /// Adds a row that replaces nothing, as one of two replicas.
  fileprivate mutating func add(_ row: CRDTKit.Row<RowKey, RowPayload>, as number: Int) {
    _table.write(row, by: ReplicaID(UInt64(100 + number % 2)), killing: [])
  }
}
