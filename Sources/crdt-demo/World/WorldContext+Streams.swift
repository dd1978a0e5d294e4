extension WorldContext<[UInt8]> {
  /// Sends bytes in pieces, cut at any place, of so many bytes at most; with 0, in one.
  mutating func send(
    _ bytes: [UInt8], to neighbour: Int, inPiecesOf pieceMax: Int,
    using generator: inout SplitMix64
  ) {
    guard !bytes.isEmpty else { return }
    guard pieceMax > 0 else { return send(bytes, to: neighbour) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(1 + generator.below(pieceMax)))
      rest = rest.dropFirst(piece.count)
      send(piece, to: neighbour)
    }
  }
}
