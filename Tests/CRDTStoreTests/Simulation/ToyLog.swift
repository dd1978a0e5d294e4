import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

/// A log of numbers in one file, which is now and then written anew: right, or with
/// one of the mistakes that lose data in a crash.
///
/// It shows that the explorers find such mistakes, and nothing where there are none.
struct ToyLog {
  enum Mistake: CaseIterable {
    /// Acknowledges what is not synchronized.
    case noFileSync
    /// Makes the file without synchronizing its name.
    case noFolderSync
    /// Makes the folder without synchronizing its name.
    case noParentSync
    /// Gives a new file the old one's name before its bytes are safe.
    case noSyncBeforeRename
    /// Writes to a renamed file whose name is not safe.
    case noSyncAfterRename
    /// Believes every byte that it reads.
    case noChecksum
    /// Overwrites the file in place when it is written anew.
    case noRename
    /// Goes on after synchronizing failed, and believes it when it succeeds then.
    case trustAfterFailure
    /// Takes a short write for a whole one.
    case noLoop
  }

  let files: SimulatedFileSystem
  var mistake: Mistake?
  private var folder = OpenFile(descriptor: -1)
  private var file = OpenFile(descriptor: -1)
  private var numbers: [UInt8] = []

  init(_ files: SimulatedFileSystem, mistake: Mistake? = nil) {
    self.files = files
    self.mistake = mistake
  }

  /// Makes the folder and the file.
  mutating func create() throws {
    try again { () throws(SystemError) in try files.makeFolder(at: "/toy") }
    if mistake != .noParentSync {
      let parent = try again { () throws(SystemError) in try files.openFolder(at: "/") }
      defer { files.close(parent) }
      try again { () throws(SystemError) in try files.synchronizeNames(in: parent) }
    }
    folder = try again { () throws(SystemError) in try files.openFolder(at: "/toy") }
    file = try again { () throws(SystemError) in
      try files.open("log", in: folder, for: .creating)
    }
    if mistake != .noFolderSync { try synchronizeFolder() }
  }

  /// Appends a number; when it returns, the number is safe.
  mutating func append(_ number: UInt8) throws {
    try write(record(number), to: file, at: numbers.count * Self.recordSize)
    if mistake != .noFileSync { try synchronize(file) }
    numbers.append(number)
  }

  /// Writes the whole file anew.
  mutating func rewrite() throws {
    let bytes = numbers.flatMap(record)
    if mistake == .noRename {
      try again { () throws(SystemError) in try files.truncate(file, to: 0) }
      try write(bytes, to: file, at: 0)
      return try synchronize(file)
    }
    let new = try again { () throws(SystemError) in
      try files.open("log.new", in: folder, for: .creating)
    }
    try write(bytes, to: new, at: 0)
    if mistake != .noSyncBeforeRename { try synchronize(new) }
    try again { () throws(SystemError) in
      try files.rename("log.new", in: folder, to: "log", in: folder)
    }
    if mistake != .noSyncAfterRename { try synchronizeFolder() }
    files.close(file)
    file = new
  }

  /// Removes what is not whole at the end of a log, or writes what is whole anew in
  /// its place.
  static func recover(_ files: SimulatedFileSystem, inPlace: Bool) throws {
    let numbers = try numbers(in: files.seenImage, mistake: nil) ?? []
    let folder = try files.openFolder(at: "/toy")
    let file = try files.open("log", in: folder, for: .writing)
    if inPlace {
      try files.truncate(file, to: 0)
      try files.write(numbers.flatMap(record), to: file)
    } else {
      try files.truncate(file, to: numbers.count * recordSize)
    }
    try files.synchronize(file)
  }

  /// The numbers in an image's log; `nil` if there is no log.
  static func numbers(in image: DiskImage, mistake: Mistake?) throws -> [UInt8]? {
    let files = SimulatedFileSystem(image)
    let file: OpenFile
    do throws(SystemError) {
      let folder = try files.openFolder(at: "/toy")
      file = try files.open("log", in: folder, for: .reading)
    } catch {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: try files.size(of: file))
    _ = try bytes.withUnsafeMutableBytes { try files.read(file, into: $0, at: 0) }
    var numbers: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: recordSize) {
      let number = bytes[start]
      let record = bytes[start..<min(start + recordSize, bytes.count)]
      let isWhole = record.elementsEqual(self.record(number))
      guard number != 0, isWhole || mistake == .noChecksum else { break }
      numbers.append(record.last ?? 0)
    }
    return numbers
  }

  /// What is wrong with an image after a crash.
  static func discrepancy(_ image: DiskImage, _ moment: CrashMoment, _ mistake: Mistake?) -> String?
  {
    do {
      let read = try numbers(in: image, mistake: mistake) ?? []
      guard read == (1...UInt8(max(1, moment.issued))).prefix(read.count) + [] else {
        return "\(read) is no prefix"
      }
      return read.count >= moment.acknowledged ? nil : "only \(read) is left"
    } catch {
      return "\(error)"
    }
  }

  /// Makes a log, appends numbers, writes it anew in between.
  static func workload(
    _ mistake: Mistake?
  ) -> (SimulatedFileSystem, CrashRecorder) throws -> Void {
    { files, recorder in
      var log = ToyLog(files, mistake: mistake)
      try log.create()
      for number in 1...8 as ClosedRange<UInt8> {
        recorder.issue()
        try log.append(number)
        recorder.acknowledge()
        if number == 4 { try log.rewrite() }
      }
    }
  }

  // Each record is many times its number, so that half of one shows.
  private static let recordSize = 200

  private static func record(_ number: UInt8) -> [UInt8] {
    [UInt8](repeating: number, count: recordSize)
  }

  private func record(_ number: UInt8) -> [UInt8] { Self.record(number) }

  private func write(_ bytes: [UInt8], to file: OpenFile, at offset: Int) throws {
    try bytes.withUnsafeBytes { buffer in
      var start = 0
      while start < buffer.count {
        let rest = UnsafeRawBufferPointer(rebasing: buffer[start...])
        let count = try again { () throws(SystemError) in
          try files.write(file, rest, at: offset + start)
        }
        start += mistake == .noLoop ? buffer.count : count
      }
    }
  }

  private func synchronize(_ file: OpenFile) throws {
    do throws(SystemError) {
      try again { () throws(SystemError) in try files.synchronize(file) }
    } catch {
      guard mistake == .trustAfterFailure else { throw error }
      try files.synchronize(file)
    }
  }

  private func synchronizeFolder() throws {
    try again { () throws(SystemError) in try files.synchronizeNames(in: folder) }
  }

  @discardableResult
  private func again<Result>(
    _ call: () throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    while true {
      do throws(SystemError) {
        return try call()
      } catch {
        guard error.code == 4 else { throw error }
      }
    }
  }
}
