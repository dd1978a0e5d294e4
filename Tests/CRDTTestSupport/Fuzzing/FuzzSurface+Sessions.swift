import CRDTKit

extension FuzzSurface {
  /// The choice gives the type, the limits, and how the stream begins; each part is a frame, or
  /// something else that happens.
  static func talk(_ input: FuzzInput) throws(Discrepancy) {
    switch input.choice & 3 {
    case 0: try talk(ORSet<String>.self, input)
    case 1: try talk(TextRegisters.self, input)
    default: try talk(Document.self, input)
    }
  }

  static func sessionSeeds() throws -> [[UInt8]] {
    try sessionSeeds(of: ORSet<String>.self, 0) + sessionSeeds(of: TextRegisters.self, 1)
      + sessionSeeds(of: Document.self, 2)
  }

  /// What begins a part that is no frame.
  private enum Happening {
    static let transfer: UInt8 = 0xF0
    static let edit: UInt8 = 0xF1
    static let reconnection: UInt8 = 0xF2
    static let raw: UInt8 = 0xF3
  }

  private static func limits(_ choice: UInt8) -> SyncLimits {
    choice & 0x40 == 0
      ? SyncLimits(
        maximumTransferBytes: 1 << 20, maximumMemoryBytes: 1 << 24, maximumReplicas: 1_000)
      : tightLimits
  }

  /// Wires on which nothing was sent, by type and limits: to make one takes longer than most
  /// inputs do.
  private static let wires = Guarded<[String: Any]>([:])

  private static func wire<Value: SyncSample>(
    of _: Value.Type, _ limits: SyncLimits
  ) -> Wire<Value> {
    wires.withLock { wires in
      let name = "\(Value.self), \(limits)"
      if let wire = wires[name] as? Wire<Value> { return wire }
      let wire = Value.wire(shared: 4, left: 5, right: 5, limits: limits)
      wires[name] = wire
      return wire
    }
  }

  private static func talk<Value: SyncSample>(
    _: Value.Type, _ input: FuzzInput
  ) throws(Discrepancy) {
    let limits = limits(input.choice)
    let wire = wire(of: Value.self, limits)
    var victim = wire.right
    victim.connect()
    var stream = ForgedStream()
    let hello = try Value.hello(of: wire.left)
    if input.choice & 0x80 == 0 { for frame in hello { stream.frame(frame.kind, frame.body) } }
    for part in input.parts {
      let body = Array(part.dropFirst())
      switch part.first {
      case nil: continue
      case Happening.transfer: stream.transfer(sealed([0xC4, 0xD7] + body + [0, 0, 0, 0]))
      case Happening.edit:
        victim.edit { $0.change(body.count, by: $1) }
        victim.flush()
      case Happening.reconnection:
        victim.disconnect()
        victim.connect()
        stream = ForgedStream()
        for frame in hello { stream.frame(frame.kind, frame.body) }
      case Happening.raw: stream.raw(body)
      case .some(let kind): stream.frame(kind, body)
      }
      victim.receive(stream.drain())
    }
    try victim.checkState()
    try answer(victim, to: wire.left)
    try passOn(victim, limits)
  }

  /// What the session has answered are whole frames, which harm nobody.
  private static func answer<Value: SyncSample>(
    _ victim: Peer<Value>, to peer: Peer<Value>
  ) throws(Discrepancy) {
    let frames = try ForgedStream.frames(of: victim.outbox)
    try check(victim.failure != nil || !frames.isEmpty, "it says nothing")
    var peer = peer
    peer.connect()
    var stream = ForgedStream()
    for frame in frames { stream.frame(frame.kind, frame.body) }
    peer.receive(stream.bytes)
    try peer.checkState()
  }

  /// Whatever has come in can be passed on, also after a restart.
  private static func passOn<Value: SyncSample>(
    _ victim: Peer<Value>, _ limits: SyncLimits
  ) throws(Discrepancy) {
    var wire = Wire(victim, Peer(Value.make(), as: ReplicaID(50), limits: limits))
    wire.left.crash(limits: limits)
    wire.left.edit { $0.change(1, by: $1) }
    wire.sync()
    if let found = wire.discrepancy(from: wire.left.value) { throw Discrepancy(found) }
  }

  private static func sessionSeeds<Value: SyncSample>(
    of _: Value.Type, _ type: UInt8
  ) throws -> [[UInt8]] {
    var seeds: [FuzzInput] = []
    for choice in [0, 0x40, 0x80, 0xC0].map({ $0 | type }) {
      var wire = Value.wire(shared: 4, left: 5, right: 5, limits: limits(choice))
      let isAsVersion1 = choice & 0x80 != 0
      if isAsVersion1 {
        wire.left.tamper = { bytes, _ in ForgedStream.limitToVersion1(&bytes) }
        wire.right.tamper = wire.left.tamper
      }
      wire.connect()
      var parts: [[UInt8]] = []
      while !wire.isQuiet {
        for frame in try ForgedStream.frames(of: wire.left.outbox)
        where isAsVersion1 || frame.kind > 2 {
          parts.append([frame.kind] + frame.body)
        }
        wire.deliverRight()
        wire.deliverLeft()
      }
      let delta = wire.left.value.delta(since: [:]).encoded()
      let transfer = [Happening.transfer] + delta.dropFirst(2).dropLast(4)
      seeds.append(FuzzInput(choice, parts))
      let edits: [[UInt8]] = [[Happening.edit], transfer, [Happening.edit, 1]]
      seeds.append(FuzzInput(choice, parts.prefix(1) + edits))
      seeds.append(FuzzInput(choice, parts + [[Happening.reconnection], [Happening.raw, 9]]))
    }
    return seeds.map(\.bytes)
  }
}

extension SyncSample {
  /// The frames with which a peer begins.
  fileprivate static func hello(of peer: Peer<Self>) throws(Discrepancy) -> [ForgedStream.Frame] {
    var peer = peer
    peer.connect()
    return try ForgedStream.frames(of: peer.outbox)
  }
}

extension Peer {
  /// Checks that the value is sound, is what would be durable, and is encoded as what it
  /// decodes to.
  fileprivate func checkState() throws(Discrepancy) {
    try value._table.checkSoundness()
    let bytes = value.encoded()
    guard let again = try? Value(decoding: bytes) else { throw Discrepancy("it does not decode") }
    try check(again.encoded() == bytes, "it decodes to another")
    try check(durable.encoded() == bytes, "what was learned is not all that was taken in")
  }
}
