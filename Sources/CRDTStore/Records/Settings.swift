public import CRDTKit

/// Values that a store keeps for the app and never sends, such as settings and flags.
extension Store {
  /// The committed value of a setting; `nil` if there is none.
  ///
  /// As with records, a setting that is to be durable is visible only once it is.
  public func setting(_ name: String) -> Document.Value? {
    core.setting(name)
  }

  /// Changes a setting; `nil` removes it.
  ///
  /// To change one together with records, use ``Store/Transaction/set(setting:to:)``.
  ///
  /// - Throws: The same as ``Store/Transaction/set(setting:to:)``; ``StoreError``.
  public nonisolated(nonsending) func set(
    setting name: String, to value: Document.Value?
  ) async throws {
    try await write { try $0.set(setting: name, to: value) }
  }

  /// Changes a setting, and waits in place.
  public func set(setting name: String, to value: Document.Value?) throws {
    try write { try $0.set(setting: name, to: value) }
  }
}

extension Store.Transaction {
  /// Changes a setting of the store; `nil` removes it.
  ///
  /// - Throws: ``RecordError/nameTooLong(bytes:)``; `Document.UnstorableValue` if the value
  ///   is nested too deep.
  public mutating func set(setting name: String, to value: Document.Value?) throws {
    let bytes = name.utf8.count
    guard bytes <= Document.Value.maximumNameLength else {
      throw RecordError.nameTooLong(bytes: bytes)
    }
    try value?.requireRoom(at: [])
    local.append(LocalChange(key: StoreCore.settingArea + name, value: value?.encodedBare))
  }
}

extension StoreCore {
  static let settingArea = "setting/"

  func setting(_ name: String) -> Document.Value? {
    let bytes = monitor.withLock {
      (committed ?? working).settings[Self.settingArea + name]
    }
    return bytes.flatMap { bytes in
      var reader = ByteReader(bytes)
      return try? Document.Value(from: &reader)
    }
  }
}

extension LocalValues {
  /// The settings among these values.
  var settings: LocalValues { filter { $0.key.hasPrefix(StoreCore.settingArea) } }
}

extension [LocalChange] {
  /// The changes of settings among these.
  var ofSettings: [LocalChange] { filter { $0.key.hasPrefix(StoreCore.settingArea) } }
}

extension Document.Value {
  fileprivate var encodedBare: [UInt8] {
    var writer = ByteWriter()
    encode(to: &writer)
    return writer.finish()
  }
}
