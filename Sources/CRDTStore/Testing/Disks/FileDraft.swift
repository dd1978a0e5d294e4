/// The bytes of a file while changes are made to it.
struct FileDraft {
  // As large as the file may ever become; zeros from the size on.
  private var bytes: [UInt8]
  private var size: Int

  init(_ start: [UInt8], sizeMax: Int) {
    bytes = start.resized(to: sizeMax)
    size = start.count
  }

  func finish() -> [UInt8] {
    bytes.resized(to: size)
  }

  mutating func apply(_ change: FileChange) {
    switch change {
    case .write(let offset, let bytes): write(bytes, 0..<bytes.count, at: offset)
    case .truncate(let newSize):
      if newSize < size { bytes.clear(newSize..<size) }
      size = newSize
    }
  }

  /// Makes a part of a write whose first byte goes to an offset.
  mutating func write(_ source: [UInt8], _ range: Range<Int>, at offset: Int) {
    source.withUnsafeBytes {
      bytes.overwrite(UnsafeRawBufferPointer(rebasing: $0[range]), at: offset + range.lowerBound)
    }
    if !range.isEmpty { extend(to: offset + range.upperBound) }
  }

  mutating func extend(to newSize: Int) {
    size = max(size, newSize)
  }
}
