import CRDTKit

extension FuzzSurface {
  /// The first byte chooses the type, the rest is what stands between the magic bytes and the
  /// checksum.
  static func decode(_ input: [UInt8]) throws(Discrepancy) {
    guard let choice = input.first else { return }
    let specimen = Specimens.all[Int(choice) % Specimens.all.count]
    let bytes = sealed([0xC4, 0xD7] + input.dropFirst() + [0, 0, 0, 0])
    if input.dropFirst().first == BinaryFormat.version {
      _ = try specimen.examine(bytes)
    } else if let anew = specimen.encodedAnew(bytes) {
      // Of an earlier version: what it is written as today is what it is written as for ever.
      try check(specimen.encodedAnew(anew) == anew, "\(specimen.name) changes each time")
      _ = try specimen.examine(anew)
    }
  }

  static var decoderSeeds: [[UInt8]] {
    Specimens.all.enumerated().flatMap { place, specimen in
      let body = [UInt8(place)] + specimen.bytes.dropFirst(2).dropLast(4)
      var old = body
      old[1] = 1
      return [body, old]
    }
  }
}
