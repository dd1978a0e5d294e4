internal import Synchronization

/// The properties of a type that are needed before one of its values is encoded.
///
/// They are computed once for each type, because that takes longer than encoding.
struct TypeTraits: Sendable {
  /// How values of a type are written.
  enum Form: Sendable {
    /// By its `Codable` form.
    case plain
    /// In a fixed order; see ``HashOrdered``.
    case collection
    /// In the type's own form; see ``BytesCodable``.
    case state
    /// As one value; see ``WholeValue``.
    case whole
    /// As one value, if it has parts: it is a type of the platform, and only the type
    /// itself knows how to change its parts, such as the number and the unit of a
    /// measurement.
    case composite
    /// By the type's name, because the encoded form says too little.
    case known(WellKnownType)
  }

  let form: Form
  /// Whether the type lists its fields by hand; see ``FieldRepresentable``.
  let listsFields: Bool

  private static let known = TypeTable<TypeTraits>()

  /// The traits of a value's type.
  static func of<Value>(_ value: Value) -> TypeTraits {
    known.value(of: ObjectIdentifier(Value.self)) {
      TypeTraits(form: form(of: value), listsFields: Value.self is any FieldRepresentable.Type)
    }
  }

  private static func form<Value>(of value: Value) -> Form {
    if Value.self is any HashOrdered.Type { return .collection }
    if Value.self is any BytesCodable.Type { return .state }
    if let known = WellKnownType(Value.self) { return .known(known) }
    let isEnum = Mirror(reflecting: value).displayStyle == .enum
    if isEnum || Value.self is any WholeValue.Type { return .whole }
    return isOfPlatform(Value.self) ? .composite : .plain
  }

  /// The modules of the platform with `Codable` types; the standard library's are scalars
  /// or collections.
  private static let platform: Set<String> = [
    "Foundation", "FoundationEssentials", "FoundationInternationalization", "__C",
    "CoreFoundation", "CoreGraphics", "CoreLocation", "CoreMedia", "Dispatch", "HealthKit",
    "MapKit", "Spatial", "SwiftUI", "SwiftUICore", "UniformTypeIdentifiers", "WeatherKit",
  ]

  private static func isOfPlatform(_ type: Any.Type) -> Bool {
    platform.contains(String(String(reflecting: type).prefix { $0 != "." }))
  }
}

/// The properties of a type that are needed before one of its values is decoded.
struct ReadingTraits: Sendable {
  /// How values of a type are read.
  enum Form: Sendable {
    /// As a node by itself.
    case scalar
    /// As an array or a set of texts.
    case texts
    /// From a fixed order; see ``HashOrderedDecodable``.
    case collection
    /// From a node that the type can decode.
    case known(WellKnownType)
    /// From its `Codable` form.
    case plain
  }

  let form: Form
  /// Whether the type has a form of its own; see ``BytesCodable``.
  let isState: Bool
  /// Whether the type is created from a list of fields; see ``FieldRepresentable``.
  let listsFields: Bool

  private static let known = TypeTable<ReadingTraits>()

  static func of<Value>(_ type: Value.Type) -> ReadingTraits {
    known.value(of: ObjectIdentifier(type)) {
      ReadingTraits(
        form: form(of: type), isState: type is any BytesCodable.Type,
        listsFields: type is any FieldRepresentable.Type)
    }
  }

  private static func form<Value>(of type: Value.Type) -> Form {
    if CodableNode.isScalar(type) { return .scalar }
    if CodableNode.isOfTexts(type) { return .texts }
    if type is any HashOrderedDecodable.Type { return .collection }
    return WellKnownType(type).map { .known($0) } ?? .plain
  }
}

/// A cache of results for types, which many threads read without waiting.
///
/// Entries are added and never changed or removed; there are as many as a program has
/// types. A reader sees either a complete entry or none, because an entry's address is
/// published after it was filled in.
struct TypeTable<Value: BitwiseCopyable & Sendable>: @unchecked Sendable {
  private struct Entry {
    let type: ObjectIdentifier
    let value: Value
    let next: UnsafeRawPointer?
  }

  private static var listCount: Int { 64 }

  /// The newest entries of the lists; each type is in one of them.
  private let lists: UnsafeMutablePointer<Atomic<UnsafeRawPointer?>>

  /// Creates a table that is never freed.
  init() {
    lists = .allocate(capacity: Self.listCount)
    for place in 0..<Self.listCount { (lists + place).initialize(to: Atomic(nil)) }
  }

  /// The result for a type, computed by `find` if there is none.
  ///
  /// Two threads may compute it at once, and must get the same result.
  func value(of type: ObjectIdentifier, else find: () -> Value) -> Value {
    let list = lists + Int((UInt(bitPattern: type) >> 4) % UInt(Self.listCount))
    var newest = list.pointee.load(ordering: .acquiring)
    if let known = value(of: type, from: newest) { return known }
    let value = find()
    let entry = UnsafeMutablePointer<Entry>.allocate(capacity: 1)
    while true {
      entry.initialize(to: Entry(type: type, value: value, next: newest))
      let (isAdded, found) = list.pointee.compareExchange(
        expected: newest, desired: UnsafeRawPointer(entry), ordering: .acquiringAndReleasing)
      if isAdded { return value }
      newest = found
    }
  }

  private func value(of type: ObjectIdentifier, from newest: UnsafeRawPointer?) -> Value? {
    var next = newest
    while let entry = next?.assumingMemoryBound(to: Entry.self) {
      if entry.pointee.type == type { return entry.pointee.value }
      next = entry.pointee.next
    }
    return nil
  }
}

/// Types of Foundation whose `Codable` form says less than their name.
///
/// They are recognized by name, because this module does not import Foundation.
enum WellKnownType {
  case date, data, url, decimal

  init?<Value>(_ type: Value.Type) {
    // Only structs of these sizes are worth a check of their name.
    guard MemoryLayout<Value>.size >= 8, MemoryLayout<Value>.size <= 24 else { return nil }
    guard let found = Self.names[String(reflecting: type)] else { return nil }
    self = found
  }

  private static let names: [String: WellKnownType] = {
    var names: [String: WellKnownType] = ["__C.NSDecimal": .decimal]
    for module in ["Foundation", "FoundationEssentials"] {
      names["\(module).Date"] = .date
      names["\(module).Data"] = .data
      names["\(module).URL"] = .url
      names["\(module).Decimal"] = .decimal
    }
    return names
  }()

  /// The node with the type's meaning, from the one that the type has encoded.
  func shaped(_ node: CodableNode) -> CodableNode {
    switch (self, node) {
    case (.date, .double): .shaped(node, .moment)
    case (.data, .array(let elements)):
      Self.bytes(elements).map { .bytes($0) } ?? .shaped(node, .whole)
    case (.url, .object(let fields)) where fields.count == 1: fields[0].node
    case (.decimal, .object(let fields)):
      DecimalText(fields).map { .text($0.text) } ?? .shaped(node, .whole)
    default: .shaped(node, .whole)
    }
  }

  /// The bytes of an array's elements; `nil` if any element is no byte.
  private static func bytes(_ elements: [CodableNode]) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(elements.count)
    for element in elements {
      guard case .uint(let byte) = element, byte <= UInt64(UInt8.max) else { return nil }
      bytes.append(UInt8(byte))
    }
    return bytes
  }

  /// The node that the type can decode, from one in a document; `nil` if it is the same.
  func node(of node: CodableNode) -> CodableNode? {
    switch (self, node) {
    case (.url, .text): return .object([CodableNode.Field(key: "relative", node: node)])
    case (.decimal, .text(let text)): return DecimalText(text)?.node
    case (.decimal, .int(let number)): return DecimalText("\(number)")?.node
    // The shortest text of the double is the intended decimal.
    case (.decimal, .double(let number)): return DecimalText("\(number)")?.node
    case (.date, .text(let text)): return MomentText.seconds(of: text).map { .double($0) }
    case (.data, .text(let text)): return Base64.bytes(of: text).map { .bytes($0) }
    default: return nil
    }
  }
}
