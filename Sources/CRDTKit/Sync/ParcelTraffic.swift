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
  /// Those that the peer has not acknowledged, in the order they were sent.
  private(set) var underWay: [Parcel] = []
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

  /// Notes one that is sent.
  mutating func send(_ news: VersionVector, bytes: Int) {
    underWay.append(Parcel(news: news, bytes: bytes))
    bytesUnderWay += bytes
    restarts = false
  }

  /// Takes off the first ones, which the peer has taken in; gives what they brought, or
  /// `nil` where there are not so many.
  mutating func acknowledge(_ count: UInt64) -> ArraySlice<Parcel>? {
    guard count <= UInt64(underWay.count) else { return nil }
    let taken = underWay.prefix(Int(count))
    underWay.removeFirst(Int(count))
    bytesUnderWay -= taken.reduce(0) { $0 + $1.bytes }
    return taken
  }

  /// The peer has told its version anew: begins there.
  mutating func restart(telling heads: ColumnHeads) {
    underWay = []
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
