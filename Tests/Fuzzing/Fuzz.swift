import CRDTStoreTesting
import CRDTTestSupport
import Glibc

/// The surface that this program fuzzes: `CRDT_FUZZ` names it.
private let surface = getenv("CRDT_FUZZ").flatMap { FuzzSurface(rawValue: String(cString: $0)) }

@_silgen_name("LLVMFuzzerMutate")
private func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ size: Int, _ sizeMax: Int) -> Int

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The program's entry, which Swift's package manager names so.
///
/// Where `CRDT_FUZZ_SEEDS` names a folder, the inputs to begin with are written there first.
@_cdecl("fuzz_main")
public func run(_ count: CInt, _ arguments: UnsafeMutableRawPointer) -> CInt {
  guard let surface else { fatalError("CRDT_FUZZ should name a surface") }
  if let folder = getenv("CRDT_FUZZ_SEEDS").map({ String(cString: $0) }) {
    do {
      for (place, seed) in try surface.seeds().enumerated() {
        guard let file = fopen("\(folder)/seed-\(place)", "w") else { fatalError("no \(folder)") }
        fwrite(seed, 1, seed.count, file)
        fclose(file)
      }
    } catch { fatalError("\(error)") }
  }
  var (count, arguments) = (count, arguments)
  return runDriver(&count, &arguments) { test($0, $1) }
}

/// Takes an input in, and traps where something doesn't hold.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ bytes: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: size))
  do throws(Discrepancy) { try surface?.run(input) } catch { fatalError("\(error)") }
  return 0
}

/// Changes one part of an input, mostly, so that the lengths of the others stay right.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
  _ bytes: UnsafeMutablePointer<UInt8>, _ size: Int, _ sizeMax: Int, _ seed: CUnsignedInt
) -> Int {
  var random = SeededGenerator(seed: UInt64(seed))
  guard surface != .decoders, size > 3, Int.random(in: 0..<8, using: &random) > 0 else {
    return mutate(bytes, size, sizeMax)
  }
  var input = FuzzInput(Array(UnsafeBufferPointer(start: bytes, count: size)))
  guard let place = input.parts.indices.randomElement(using: &random) else {
    return mutate(bytes, size, sizeMax)
  }
  switch Int.random(in: 0..<16, using: &random) {
  case 0: input.parts.remove(at: place)
  case 1: input.parts.insert(input.parts[place], at: place)
  case 2: input.parts.swapAt(place, input.parts.indices.randomElement(using: &random) ?? place)
  default:
    let part = input.parts[place]
    let room = min(part.count + 64, 0xFFFF)
    input.parts[place] = Array(unsafeUninitializedCapacity: room) { new, count in
      _ = new.initialize(fromContentsOf: part)
      guard let base = new.baseAddress else { return }
      count = mutate(base, part.count, room)
    }
  }
  let changed = input.bytes.prefix(sizeMax)
  for (place, byte) in changed.enumerated() { bytes[place] = byte }
  return changed.count
}
