import CRDTKit
import CRDTStore
import CRDTStoreTesting
import Foundation
import Toolkit

/// A reference server that is spoken to in lines of JSON.
struct ServerConversation {
  private var service = ReferenceService()
  /// How long an answer takes.
  private(set) var latencyMillis = 0

  /// Does what a line asks for, and gives the line that answers it.
  mutating func reply(to line: [UInt8]) -> [UInt8] {
    let reply: ServerReply
    do {
      reply = self.reply(to: try JSONDecoder().decode(ServerRequest.self, from: Data(line)))
    } catch {
      let problem = (error as? DecodingError)?.problem ?? "\(error)"
      reply = ServerReply(error: RemoteError(.serverRejected, "not a request: \(problem)"))
    }
    return Self.line(of: reply)
  }

  /// A value as a line of JSON, its members in the order of their names.
  static func line(of value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Nothing that is sent holds a number that JSON has not.
    guard let json = try? encoder.encode(value) else { return Array("{}\n".utf8) }
    return Array(json) + [UInt8(ascii: "\n")]
  }

  private mutating func reply(to request: ServerRequest) -> ServerReply {
    var reply = ServerReply(id: request.id)
    if let control = request.control { apply(control) }
    do throws(RemoteError) {
      if let operations = request.push { reply.answers = try service.push(operations) }
      if let pull = request.pull { reply.page = try service.pull(pull) }
    } catch {
      reply.error = error
    }
    if request.report == true { reply.effects = service.server.effects }
    return reply
  }

  private mutating func apply(_ control: ServerControl) {
    if let isDown = control.isDown { service.isDown = isDown }
    if let wants = control.wantsCredentials { service.wantsCredentials = wants }
    if let latency = control.latencyMillis { latencyMillis = min(max(latency, 0), 60_000) }
    if let count = control.answersToLose { service.answersToLose = count }
    if let failures = control.failures { service.failures = failures }
    if control.acceptsAllFields == true { service.server.rejectedFields = [:] }
    if let issue = control.rejectField {
      service.server.rejectedFields[issue.path] = issue.message
    }
    if let delay = control.delay {
      let record = Document.RecordID(delay.entityId, in: delay.entityType)
      service.server.delaysLeft[record] = delay.count
      service.server.delayHint = delay.retryAfterMillis.map { .milliseconds($0) }
    }
    if let edit = control.edit {
      let record = Document.RecordID(edit.entityId, in: edit.entityType)
      service.server.edit(record, edit.fields ?? [:], isDeleted: edit.isDeleted ?? false)
    }
  }
}

/// Bytes that come in pieces, cut into lines.
struct ServerLines {
  /// How long a line may be: far more than a hundred operations take.
  static let lengthMax = 16 << 20

  private var bytes: [UInt8] = []
  /// Where the next line begins.
  private var start = 0
  /// Up to where its end has been looked for.
  private var searched = 0

  /// The next whole line without its end; `nil` if there is none yet.
  mutating func next() throws(CommandFailure) -> [UInt8]? {
    guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
      bytes.removeFirst(start)
      (start, searched) = (0, bytes.count)
      guard bytes.count <= Self.lengthMax else {
        throw CommandFailure("a line has more than \(Self.lengthMax) bytes")
      }
      return nil
    }
    let line = Array(bytes[start..<end])
    (start, searched) = (end + 1, end + 1)
    return line
  }

  /// Takes in what `read` puts onto the end.
  mutating func append<Result, Failure: Error>(
    _ read: (inout [UInt8]) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try read(&bytes)
  }
}

/// A line that a reference server answers with.
struct ServerReply: Codable, Equatable {
  /// The number of the request; none where the line could not be read.
  var id: Int?
  var answers: [Outbox.Answer]?
  var page: Outbox.PullPage?
  var error: RemoteError?
  /// The operations that were done, in order.
  var effects: [Outbox.Envelope]?
}

/// A line that a reference server is sent: one thing that it is to do.
struct ServerRequest: Codable, Equatable {
  /// What the reply is known by.
  var id: Int
  var push: [Outbox.Envelope]?
  var pull: Outbox.PullRequest?
  var control: ServerControl?
  /// Whether to report all that was done; what is asked for is how it is, even where
  /// the server is down.
  var report: Bool?
}

/// What is to become of a reference server, or of the way to it: what isn't said stays
/// as it is.
struct ServerControl: Codable, Equatable {
  /// Whether there is no way to the server.
  var isDown: Bool?
  /// Whether the server wants other credentials.
  var wantsCredentials: Bool?
  /// How long an answer takes.
  var latencyMillis: Int?
  /// How many answers to pushes are lost, after the server has done what it was asked.
  var answersToLose: Int?
  /// What the next pushes fail with.
  var failures: [RemoteError]?
  /// A field that the server takes no changes of any more, and why.
  var rejectField: Outbox.FieldIssue?
  /// Whether the server takes changes of all fields again.
  var acceptsAllFields: Bool?
  /// Operations on a record are put off so often.
  var delay: Delay?
  /// A record that someone else changes: the fields that it gets.
  var edit: Edit?

  struct Delay: Codable, Equatable {
    var entityType: String
    var entityId: String
    var count: Int
    var retryAfterMillis: Int?
  }

  struct Edit: Codable, Equatable {
    var entityType: String
    var entityId: String
    var fields: [String: Document.Value]?
    var isDeleted: Bool?
  }
}

/// `crdt-demo reference-server`: a server for an outbox, spoken to in lines of JSON on
/// the standard input and output; it keeps all in memory.
enum ReferenceServerCommand {
  static func run() -> ExitStatus {
    var console = Console(isQuiet: true)
    do {
      try serve()
      return .success
    } catch {
      console.error("the reference server ended: \(error)")
      return .trouble
    }
  }

  private static func serve() throws(CommandFailure) {
    var conversation = ServerConversation()
    var lines = ServerLines()
    var isOpen = true
    while isOpen {
      while let line = try lines.next() {
        let reply = conversation.reply(to: line)
        if conversation.latencyMillis > 0 {
          Syscalls.sleep(milliseconds: conversation.latencyMillis)
        }
        try Syscalls.reporting { () throws(Syscalls.Failure) in try FileWriter.writeAll(1, reply) }
      }
      isOpen = try Syscalls.reporting { () throws(Syscalls.Failure) in
        try lines.append { (bytes) throws(Syscalls.Failure) in
          try Syscalls.read(0, onto: &bytes) != 0
        }
      }
    }
  }
}

extension ReferenceServerCommand: Command {
  static let name = "reference-server"
  static let operands = ""
  static let statuses = ""
  static let help = ""

  static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus { run() }
}
