public import CRDTKit

/// Values that a store keeps for the app, of which nothing is sent: settings, flags,
/// what was shown last.
extension Store {
  /// A setting; `nil` where there is none.
  public func setting(_ name: String) -> Document.Value? {
    core.setting(name)
  }

  /// Changes a setting; `nil` removes it.
  ///
  /// To change one together with records, use ``Transaction/set(setting:to:)``.
  ///
  /// - Throws: ``StoreError``.
  public nonisolated(nonsending) func set(
    setting name: String, to value: Document.Value?
  ) async throws {
    try await write { $0.set(setting: name, to: value) }
  }
}

extension BlockingStore {
  /// A setting; `nil` where there is none.
  public func setting(_ name: String) -> Document.Value? {
    core.setting(name)
  }
}

extension Transaction {
  /// Changes a setting of the store; `nil` removes it.
  public mutating func set(setting name: String, to value: Document.Value?) {
    local.append(LocalChange(key: StoreCore.settingArea + name, value: value?.encodedBare))
  }
}

extension StoreCore {
  static let settingArea = "setting/"

  func setting(_ name: String) -> Document.Value? {
    let bytes = monitor.withLock { local[Self.settingArea + name] }
    return bytes.flatMap { bytes in
      var reader = ByteReader(bytes)
      return try? Document.Value(from: &reader)
    }
  }
}

extension Document.Value {
  fileprivate var encodedBare: [UInt8] {
    var writer = ByteWriter()
    encode(to: &writer)
    return writer.finish()
  }
}
