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
    compaction: Store.Options.Compaction = .manual, schema: Schema? = nil
  ) throws -> Store {
    var options = Store.Options()
    options.compaction = compaction
    return try Store.open(at: path + "/store", schema: schema, options: options)
  }

  /// Opens the store in the folder, for a model.
  func open(for model: any Replicated.Type) throws -> Store {
    var options = Store.Options()
    options.compaction = .manual
    return try Store.open(at: path + "/store", for: model, options: options)
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

/// A store that is closed where it is let go of: a store by itself closes soon after, on a
/// thread of its own.
final class OpenStore {
  let store: Store

  init(_ store: Store) {
    self.store = store
  }

  deinit {
    try? store.close()
  }
}
