import CRDTKit

/// A relay's folder, or a replica's subfolder in it, open.
struct RelayFolder: FileFolder {
  let fileSystem: any FileSystem
  let path: String
  let sealing: (any Sealing)?
  let handle: OpenFile

  /// Opens the folder at a path, and creates it if its parent exists.
  init(
    _ path: String, in fileSystem: any FileSystem, sealing: (any Sealing)?
  ) throws(StoreError) {
    self.path = path
    self.sealing = sealing
    self.fileSystem = fileSystem
    handle = try StoreFolder.openRoot(path, in: fileSystem, creating: true)
  }

  /// Opens a subfolder.
  init(_ name: String, in outer: RelayFolder, creating: Bool) throws(StoreError) {
    path = "\(outer.path)/\(name)"
    fileSystem = outer.fileSystem
    sealing = outer.sealing
    handle = try StoreFolder.openFolder(
      name, in: outer.handle, at: outer.path, fileSystem, creating: creating)
  }

  func close() {
    fileSystem.close(handle)
  }

  func path(of name: String, in folder: OpenFile) -> String {
    name.isEmpty ? path : "\(path)/\(name)"
  }

  /// Whether the folder has a store's manifest.
  func isStore() throws(StoreError) -> Bool {
    do throws(StoreError) {
      guard let file = try open(FileNames.manifest, in: handle, for: .reading) else { return false }
      defer { file.close() }
      return FileHead(of: try file.headBytes())?.kind == .manifest
    } catch {
      guard case .system(let cause, _) = error, cause.isNoFile || cause.forbidsWriting else {
        throw error
      }
      return false
    }
  }

  func names() throws(StoreError) -> [String] { try names(in: handle) }
}

extension RelayFolder {
  /// The maximum number of bytes before a delta.
  static let headBytesMax = 1 << 24

  /// What was found under a name.
  enum Finding {
    case file(RelayFile, FileHead, deltaStart: Int)
    /// It is sealed, and there is no sealing, or one with another key, or it was forged.
    case sealed
    /// It isn't sealed, although the relay's files are.
    case notSealed
    /// The bytes end too early.
    case incomplete
    case damaged(String)
    /// What its head says would take more memory than is left.
    case tooLarge
    /// It is gone, or never existed.
    case missing
  }

  /// Reads a file without its delta, and counts the memory that its head takes.
  func look(
    at name: String, bytesMax: Int, memoryLeft: inout Int
  ) throws(StoreError) -> Finding {
    guard let file = try open(name, in: handle, for: .reading) else { return .missing }
    defer { file.close() }
    let size = try file.size()
    guard size <= bytesMax else { return .damaged("it has \(size) bytes, and \(bytesMax) may be") }
    var bytes = try file.read(0..<min(size, 1 << 12))
    guard let headSize = bytes.withUnsafeBytes({ FileHead.frameSize(of: $0) }) else {
      return .incomplete
    }
    guard headSize <= size else { return .incomplete }
    if headSize > bytes.count, headSize <= Self.headBytesMax {
      guard headSize <= memoryLeft else { return .tooLarge }
      bytes = try file.read(0..<headSize)
    }
    let (head, body): (FileHead, Range<Int>)
    do throws(DecodingFailure) { (head, body) = try RelayFile.headFrame(of: bytes) } catch {
      return .damaged("\(error)")
    }
    guard head.isSealed || sealing == nil else { return .notSealed }
    let opened: OpenedBody
    do throws(StoreError) {
      opened = try self.opened(body, of: bytes, in: head, at: file.path)
    } catch {
      switch error {
      case .sealed, .damaged: return .sealed
      default: throw error
      }
    }
    do throws(DecodingFailure) {
      var fields = ByteReader(opened.bytes, in: opened.range)
      fields.limitMemory(to: memoryLeft)
      let (found, start) = (try RelayFile(from: &fields, in: head), body.upperBound)
      guard UInt64(size - start) >= found.deltaSize else { return .incomplete }
      guard UInt64(size - start) == found.deltaSize else {
        return .damaged("there are bytes after its end")
      }
      memoryLeft -= fields.memoryTaken + MemoryLayout<RelayCatalogue.Entry>.stride
      guard memoryLeft >= 0 else { return .tooLarge }
      return .file(found, head, deltaStart: start)
    } catch {
      if case .memoryExceeded = error.reason { return .tooLarge }
      return .damaged("\(error)")
    }
  }

  /// The bytes of a file from an offset on; `nil` if the file no longer exists.
  ///
  /// - Throws: ``StoreError/damaged(path:offset:reason:)`` if the number of bytes is not
  ///   the expected one. The file may have grown since it was scanned, so its size is
  ///   checked before memory is allocated.
  func bytes(of name: String, from start: Int, count: UInt64) throws(StoreError) -> [UInt8]? {
    guard let file = try open(name, in: handle, for: .reading) else { return nil }
    defer { file.close() }
    let size = try file.size()
    guard size >= start, UInt64(size - start) == count else {
      throw .damaged(
        path: file.path, offset: start,
        reason: "it has \(size) bytes, and should have \(count) after byte \(start)")
    }
    return try file.read(start..<size)
  }
}
