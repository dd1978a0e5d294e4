import CRDTKit
import CRDTStore
import Foundation

/// A folder for a store, gone with the one who holds it.
final class StoreFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/crdt-benchmark-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Opens the store in the folder.
  func open(
    compaction: StoreOptions.Compaction = .manual, schema: Schema? = nil
  ) throws -> Store {
    var options = StoreOptions()
    options.compaction = compaction
    return try Self.unlocked {
      try Store.open(at: path + "/store", schema: schema, options: options)
    }
  }

  /// Opens the store in the folder, for a model.
  func open(for model: any Replicated.Type) throws -> Store {
    var options = StoreOptions()
    options.compaction = .manual
    return try Self.unlocked {
      try Store.open(at: path + "/store", for: model, options: options)
    }
  }

  /// Opens a store as soon as the one before has closed, which a thread of its own does once
  /// nobody refers to it any more.
  private static func unlocked(_ open: () throws -> Store) throws -> Store {
    for _ in 0..<10_000 {
      do { return try open() } catch StoreError.locked { usleep(200) }
    }
    return try open()
  }

  /// Opens the store in the folder, for tasks and a model.
  func openForTasks(for model: any Replicated.Type) throws -> Store {
    try open(for: model)
  }

  /// Opens the store in the folder, for tasks.
  func openForTasks() throws -> Store {
    try open()
  }

  /// The size of all files in a folder of the store.
  func bytes(in folder: String) throws -> Int {
    let path = "\(path)/store/\(folder)"
    return try FileManager.default.contentsOfDirectory(atPath: path).reduce(0) { sum, name in
      let facts = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
      return sum + (facts[.size] as? Int ?? 0)
    }
  }

  /// Waits for what tasks do.
  static func wait<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) throws -> Value {
    let done = DispatchSemaphore(value: 0)
    let box = Box<Value>()
    Task.detached {
      do { box.result = .success(try await body()) } catch { box.result = .failure(error) }
      done.signal()
    }
    done.wait()
    guard let result = box.result else { throw CancellationError() }
    return try result.get()
  }

  // Written by the task before it signals, and read after that.
  private final class Box<Value>: @unchecked Sendable {
    var result: Result<Value, any Error>?
  }
}
