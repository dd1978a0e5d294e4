package import CRDTKit

/// Two values of one event each, of the same replica: their contents differ, and their
/// fingerprints don't.
package struct Collision<Value: Sendable>: Sendable {
  package let left: Value
  package let right: Value
}

/// The replica that told two peers different things.
package let doubleTongue = ReplicaID(66)

extension Collision where Value == ORSet<String> {
  /// Two sets with another text each.
  package static func find() -> Collision? {
    let texts = collidingTexts { text in
      eventFingerprint(after: 0, key: text._fingerprint, payload: 0)
    }
    return texts.map { texts in
      Collision(left: set(of: texts.left), right: set(of: texts.right))
    }
  }

  private static func set(of text: String) -> ORSet<String> {
    var set = ORSet<String>()
    set.insert(text, by: doubleTongue)
    return set
  }
}

extension Collision where Value == Document {
  /// Two documents whose last field has another text each.
  package static func find() -> Collision? {
    var base = Document()
    base.edit(at: stamp) { $0.create("r", in: "c") }
    let sample = document(with: "", after: base)
    guard let before = base._table.columns.first?.fingerprint,
      let key = sample._table.newestKey(of: doubleTongue)
    else { return nil }
    let texts = collidingTexts { text in
      var payload = Fingerprint()
      payload.combine(0)
      payload.combine(stamp.milliseconds << 16 | UInt64(stamp.logical))
      payload.combine(Document.Value.string(text)._fingerprint)
      return eventFingerprint(after: before, key: key._fingerprint, payload: payload.value)
    }
    return texts.map { texts in
      Collision(
        left: document(with: texts.left, after: base),
        right: document(with: texts.right, after: base))
    }
  }

  private static var stamp: HybridTimestamp {
    HybridTimestamp(milliseconds: 1_700_000_000_000, replica: doubleTongue)
  }

  private static func document(with text: String, after base: Document) -> Document {
    var document = base
    document.edit(at: stamp) { $0.set("memo", of: "r", in: "c", to: .string(text)) }
    return document
  }
}

extension DotTable {
  fileprivate func newestKey(of replica: ReplicaID) -> Key? {
    row(at: Dot(replica, seen(of: replica)))?.key
  }
}

/// The fingerprint of a replica's events after one that has a row and kills none.
private func eventFingerprint(after fingerprint: UInt32, key: UInt64, payload: UInt64) -> UInt32 {
  var running = Fingerprint(UInt64(fingerprint) | 1 << 32)
  running.combine(key)
  running.combine(payload)
  return UInt32(truncatingIfNeeded: running.value >> 32)
}

/// Two texts of which something makes the same 32 bits: there are some among a few hundred
/// thousand.
private func collidingTexts(
  _ fingerprint: (String) -> UInt32
) -> (left: String, right: String)? {
  var texts: [UInt32: String] = [:]
  for number in 0..<1_000_000 {
    let text = "Pay \(number) EUR"
    if let other = texts.updateValue(text, forKey: fingerprint(text)) { return (other, text) }
  }
  return nil
}
