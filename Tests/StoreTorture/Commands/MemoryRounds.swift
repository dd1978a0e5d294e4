import CRDTKit
import CRDTTestSupport
import Toolkit

/// Bytes that come to many times their size once they are read, each shape of them in a
/// process that has made nothing else: what a limit of memory lets become resident.
struct MemoryRounds {
  private let size: Int
  private let arguments: Arguments

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    size = try arguments.number("bytes", default: 64 << 20)
  }

  func run() throws -> Outcome {
    if let name = arguments.text("make") { return try make(shape(name)) }
    if let name = arguments.text("read") { return try read(shape(name)) }
    let folder = try Files.makeTemporaryFolder(in: arguments.text("in") ?? Child.temporaryFolder)
    let file = "\(folder)/bytes"
    let shapes = try arguments.text("shape").map { [try shape($0)] } ?? MemoryShape.allCases
    var broken = 0
    for shape in shapes {
      for step in ["make", "read"] {
        let words = [System.program, "memory", "--\(step)", shape.rawValue, file]
        let ending = try Child.start(words + ["--bytes", "\(size)"]).wait()
        switch ending {
        case .exited(Outcome.held.rawValue): break
        case .exited(Outcome.broken.rawValue): broken += 1
        default: throw System.Trouble(description: "\(words): \(ending)")
        }
      }
    }
    try Files.removeFolder(folder)
    if broken > 0 { throw BrokenPromise("\(broken) of \(shapes.count) shapes") }
    return .held
  }

  private func shape(_ name: String) throws -> MemoryShape {
    guard let shape = MemoryShape(rawValue: name) else {
      let names = MemoryShape.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("'\(name)' is no shape of bytes: \(names)")
    }
    return shape
  }

  /// Writes bytes of a shape to the file.
  private func make(_ shape: MemoryShape) throws -> Outcome {
    let file = try Files.openForWriting(try arguments.folder)
    defer { Files.close(file) }
    try Files.append(shape.bytes(ofSize: size), to: file)
    return .held
  }

  /// Reads the bytes under a limit of as much memory: they are refused before they take it.
  private func read(_ shape: MemoryShape) throws -> Outcome {
    // What is loaded when it is first used isn't counted.
    try? shape.decode(shape.bytes(ofSize: 1_000), maximumMemoryBytes: .max)
    let bytes = try Files.tail(of: try arguments.folder, max: .max)
    var failure: (any Error)?
    let growth = residentGrowth {
      do { try shape.decode(bytes, maximumMemoryBytes: size) } catch { failure = error }
    }
    guard let growth else {
      System.say("memory: this system doesn't tell what is resident")
      return .skipped
    }
    let isRefused = (failure as? DecodingFailure)?.reason == .memoryExceeded(max: size)
    let isHeld = isRefused && growth <= size + size / 10
    System.say(
      "\(shape.rawValue): \(bytes.count) bytes, \(isRefused ? "refused" : "\(failure as Any)"), "
        + "\(growth) resident of \(size)\(isHeld ? "" : ": TOO MUCH")")
    return isHeld ? .held : .broken
  }
}
