import CRDTKit
import Toolkit

/// `crdt-demo convert`: an encoded document as JSON, or JSON as an encoded document.
enum ConvertCommand {
  /// The greatest file that is read, in bytes.
  static let sizeMax = 256 << 20

  /// Writes the other form of a file, or of the standard input if its name is `-`.
  private static func convert(
    _ file: String, to output: String?, _ console: inout Console
  ) throws(CommandFailure) {
    let bytes = try CommandFailure.naming(file) { () throws(CommandFailure) in
      try converted(try FileReader.read(file, sizeMax: sizeMax))
    }
    try console.deliver(bytes, to: output)
  }

  /// The other form; the first byte of a document is none that JSON begins with.
  private static func converted(_ bytes: [UInt8]) throws(CommandFailure) -> [UInt8] {
    guard bytes.first == 0xC4 else { return try document(ofJSON: bytes).encoded() }
    do throws(DecodingFailure) {
      var text: [UInt8] = []
      try Document(decoding: bytes).writeJSON { text += $0.utf8 }
      return text
    } catch {
      throw CommandFailure("\(error)")
    }
  }

  /// The document that JSON describes: collections of records of fields.
  private static func document(ofJSON bytes: [UInt8]) throws(CommandFailure) -> Document {
    try Document(json: JSONText.documentValue(of: bytes))
  }
}

extension ConvertCommand: Command {
  static let name = "convert"
  static let operands = "[OPTION]... FILE"
  static let statuses =
    "0 if it was done,"

  static var options: [ArgumentScanner.Option] { [.init(name: "output", letter: "o")] }

  static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus {
    let file = try arguments.operand("file operand")
    return Console.reporting { (console) throws(CommandFailure) in
      try convert(file, to: arguments.values["output"], &console)
      return .success
    }
  }

  static let help = """
    convert takes an encoded document and writes what it shows as JSON, an object of
    collections of records of fields; or takes such JSON and writes a document.

      -o, --output=FILE      where it goes (default the standard output)
    """
}
