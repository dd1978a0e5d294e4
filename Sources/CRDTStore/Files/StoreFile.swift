import CRDTKit

/// An open file of a store.
struct StoreFile {
  let folder: any FileFolder
  let handle: OpenFile
  /// The path, for messages.
  let path: String

  private var fileSystem: any FileSystem { folder.fileSystem }

  func close() {
    fileSystem.close(handle)
  }

  /// The maximum size that is assumed for a file, so that sizes can be added up: no file is
  /// that large.
  static let sizeMax = 1 << 44

  /// The size of the file, as the system reports it.
  func size() throws(StoreError) -> Int {
    do throws(StoreError) {
      let size = try attempt(path) { () throws(SystemError) in try fileSystem.size(of: handle) }
      return min(size, Self.sizeMax)
    } catch {
      guard case .system(let cause, _) = error else { throw error }
      throw folder.failure(cause, at: path)
    }
  }

  /// Reads the bytes of a range, as far as they exist.
  func read(_ range: Range<Int>) throws(StoreError) -> [UInt8] {
    var failure: StoreError?
    let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { room, filled in
      do throws(StoreError) {
        while filled < range.count {
          let rest = UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(room)[filled..<range.count])
          let count = try attempt(path) { () throws(SystemError) in
            try fileSystem.read(handle, into: rest, at: range.lowerBound + filled)
          }
          if count <= 0 { return }
          filled += min(count, rest.count)
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Writes bytes at an offset.
  func write(_ bytes: [UInt8], at offset: Int) throws(StoreError) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(StoreError) in
      let bytes = UnsafeRawBufferPointer(bytes)
      var written = 0
      while written < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
        let count = try attempt(path) { () throws(SystemError) in
          try fileSystem.write(handle, rest, at: offset + written)
        }
        // Otherwise a call that neither writes nor fails would be repeated for ever.
        guard count > 0 else {
          throw .system(SystemError("pwrite", code: SystemError.inputOutput), path: path)
        }
        written += count
      }
    }
  }

  func truncate(to size: Int) throws(StoreError) {
    try attempt(path) { () throws(SystemError) in try fileSystem.truncate(handle, to: size) }
  }

  /// Makes the file's bytes durable, or throws an error that stops all further writes.
  func synchronize() throws(StoreError) {
    do throws(SystemError) { try fileSystem.synchronize(handle) } catch {
      throw .stopped(error, path: path)
    }
  }
}

extension FileFolder {
  /// Opens a file; `nil` if there is none.
  func open(
    _ name: String, in folder: OpenFile, for use: OpenFile.Use
  ) throws(StoreError) -> StoreFile? {
    let path = path(of: name, in: folder)
    do throws(StoreError) {
      let handle = try attempt(path) { () throws(SystemError) in
        try fileSystem.open(name, in: folder, for: use)
      }
      return StoreFile(folder: self, handle: handle, path: path)
    } catch {
      guard case .system(let cause, _) = error else { throw error }
      if cause.isMissing { return nil }
      throw self.failure(cause, at: path)
    }
  }

  /// The bytes of a file that consists of frames; `nil` if there is none.
  ///
  /// - Throws: ``StoreError/damaged(path:offset:reason:)`` if it has far more bytes than
  ///   its frames take.
  func read(_ name: String, in folder: OpenFile) throws(StoreError) -> [UInt8]? {
    guard let file = try open(name, in: folder, for: .reading) else { return nil }
    defer { file.close() }
    return try file.readFrames()
  }

  /// Creates or replaces a whole file durably, and returns it open.
  ///
  /// The file has all the parts, one after another, or stays as it was.
  func replace(
    _ name: String, in folder: OpenFile, with parts: [[UInt8]]
  ) throws(StoreError) -> StoreFile {
    let temporary = name + FileNames.unfinished
    let path = path(of: name, in: folder)
    try discard(temporary, in: folder)
    let handle = try attempt(path) { () throws(SystemError) in
      try fileSystem.open(temporary, in: folder, for: .creating)
    }
    let file = StoreFile(folder: self, handle: handle, path: path)
    do throws(StoreError) {
      var offset = 0
      for part in parts {
        try file.write(part, at: offset)
        offset += part.count
      }
      try file.synchronize()
    } catch {
      file.close()
      // The leftover file only takes space. Report the original error.
      _ = try? remove(temporary, in: folder)
      throw error
    }
    do throws(StoreError) {
      do throws(StoreError) { try rename(temporary, in: folder, to: name, in: folder) } catch {
        // The file may have been renamed all the same.
        if case .system(let cause, let path) = error { throw .stopped(cause, path: path) }
        throw error
      }
      try synchronizeNames(in: folder)
    } catch {
      file.close()
      throw error
    }
    return file
  }
}
