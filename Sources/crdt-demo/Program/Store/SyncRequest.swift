import CRDTKit
import CRDTStore
import Toolkit

/// With what `crdt-demo store sync` is to bring a store in sync, and for how long.
struct SyncRequest: Equatable {
  /// What the store is brought in sync with.
  enum Partner: Equatable {
    /// A folder that others sync with as well.
    case folder(String)
    /// Another store on this machine.
    case store(String)
    /// A store that a command serves on its standard input and output.
    case command(String, PeerLimits)
  }

  var partner: Partner
  /// Whether the two are one document from now on, should they be of different ones.
  var joins = false
  /// How many seconds to wait after a round before the next; `nil` for one round.
  var pauseSeconds: Int?
}

extension SyncRequest {
  static let options =
    ["folder", "with", "command", .flag("watch", "w"), "every", .flag("join")]
    + PeerLimits.options

  /// Understands the values of options by their names; flags have an empty one.
  init(_ values: [String: String]) throws(UsageError) {
    partner = try Partner(values)
    let pause = try values["every"].map { (text) throws(UsageError) in
      try OptionValue(name: "every", text: text).integer(in: 1...86_400)
    }
    guard values["watch"] != nil || pause == nil else {
      throw UsageError("'--every' is for '--watch'")
    }
    pauseSeconds = values["watch"] == nil ? nil : pause ?? 5
    joins = values["join"] != nil
    // Whatever comes later was not meant.
    guard !joins || pauseSeconds == nil else {
      throw UsageError("'--join' is for one round: join, then watch")
    }
  }
}

extension SyncRequest.Partner {
  /// Understands the values of options by their names, of which one says who it is.
  init(_ values: [String: String]) throws(UsageError) {
    var partners: [Self] = []
    if let path = values["folder"] { partners.append(.folder(path)) }
    if let path = values["with"] { partners.append(.store(path)) }
    if let command = values["command"] {
      partners.append(.command(command, try PeerLimits(values)))
    } else if let option = PeerLimits.options.first(where: { values[$0.name] != nil }) {
      throw UsageError("'--\(option.name)' is for '--command'")
    }
    guard let partner = partners.first, partners.count == 1 else {
      throw UsageError("give one of --folder, --with and --command")
    }
    for name in ["folder", "with", "command"] where values[name] == "" {
      throw UsageError("the value of '--\(name)' is empty")
    }
    self = partner
  }
}

extension SyncRequest {
  /// What to do about different documents, for the end of a message.
  static let joinHint = "; '--join' says that they do"
}

extension Store.SyncReport {
  /// Throws the failure of the exchange, if any, with what helps.
  func check(of path: String) throws(CommandFailure) {
    guard let failure else { return }
    let hint = otherDocuments.isEmpty ? failure.optionHint : SyncRequest.joinHint
    throw CommandFailure("\(path): \(failure)\(hint)")
  }

  /// The documents that the other side has and the store hasn't.
  var otherDocuments: [DocumentID] {
    var found = findings.compactMap { finding in
      if case .otherDocument(let document) = finding.reason { document } else { nil }
    }
    if case .differentDocument(let document, _)? = failure { found.append(document) }
    return Array(Set(found)).sorted()
  }
}

extension StoreError {
  /// The documents that were found and aren't the store's.
  var otherDocuments: [DocumentID] {
    switch self {
    case .otherDocument(_, let found, _): [found]
    case .severalDocuments(_, let found): found
    default: []
    }
  }
}
