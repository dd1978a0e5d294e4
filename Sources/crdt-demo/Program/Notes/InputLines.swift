import Foundation
import Toolkit

/// The lines of the standard input, as they are typed.
enum InputLines {
  /// What a line may have at most, in bytes.
  private static let lengthMax = 1 << 20

  /// Reads lines on a thread of its own, which may wait where they are taken; `nil` stands
  /// for the end.
  static func read(_ take: @escaping @Sendable (String?) -> Void) {
    Thread.detachNewThread {
      var bytes: [UInt8] = []
      while bytes.count <= lengthMax {
        let count: Int?
        do throws(Syscalls.Failure) {
          count = try Syscalls.read(0, onto: &bytes)
          if count == nil { _ = try Syscalls.wait(reading: [0], milliseconds: 1_000) }
        } catch {
          break
        }
        while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
          take(String(decoding: bytes[..<end], as: UTF8.self))
          bytes.removeSubrange(...end)
        }
        guard count == 0 else { continue }
        if !bytes.isEmpty { take(String(decoding: bytes, as: UTF8.self)) }
        break
      }
      take(nil)
    }
  }
}
