/// The parcels of one stream: what each side was told by them, and which are under way.
@usableFromInline
struct ParcelTraffic: Sendable {
  /// What one parcel brings.
  struct Parcel: Sendable {
    let news: VersionVector
    let bytes: Int
  }

  /// What the peer was told, and what it has told.
  @usableFromInline var told = ToldHeads()
  @usableFromInline var heard = ToldHeads()
  /// What was sent, in order; the first ones may have been acknowledged.
  private var sent: [Parcel] = []
  private var acknowledged = 0
  private(set) var bytesUnderWay = 0
  /// How many were taken in here of which the peer has not been told.
  var untold: UInt64 = 0
  /// Whether the next parcel is the first after the peer told its version anew.
  @usableFromInline var restarts = false
  /// How many times the peer has told its version anew, and how many times this side has.
  var restartsHeard: UInt64 = 0
  var restartsTold: UInt64 = 0
  /// Whether parcels are passed over until one that goes on from the version that was
  /// told here last.
  var isPassingOver = false
  /// Whether what is to be sent next is too long for a parcel.
  var needsTransfer = false

  /// Whether there are some that the peer has not acknowledged.
  var isUnderWay: Bool { sent.count > acknowledged }

  /// Notes one that is sent.
  mutating func send(_ news: VersionVector, bytes: Int) {
    sent.append(Parcel(news: news, bytes: bytes))
    bytesUnderWay += bytes
    restarts = false
  }

  /// Takes off the first ones, which the peer has taken in; gives what they brought, or
  /// `nil` where there are not so many.
  mutating func acknowledge(_ count: UInt64) -> ArraySlice<Parcel>? {
    guard count <= UInt64(sent.count - acknowledged) else { return nil }
    let taken = sent[acknowledged..<acknowledged + Int(count)]
    acknowledged += taken.count
    bytesUnderWay -= taken.reduce(0) { $0 + $1.bytes }
    // Only when half of them are done with: so each is moved once at most.
    if acknowledged > sent.count / 2 {
      sent.removeFirst(acknowledged)
      acknowledged = 0
    }
    return taken
  }

  /// The peer has told its version anew: begins there.
  mutating func restart(telling heads: ColumnHeads) {
    sent = []
    acknowledged = 0
    bytesUnderWay = 0
    told = ToldHeads(heads)
    restarts = true
    restartsHeard += 1
    needsTransfer = false
  }

  /// This side tells its version anew: passes over what is under way.
  mutating func restart(hearingSince heads: ColumnHeads) {
    heard = ToldHeads(heads)
    untold = 0
    restartsTold += 1
    isPassingOver = true
  }
}
