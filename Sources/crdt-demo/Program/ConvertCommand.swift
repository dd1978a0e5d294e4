import CRDTKit
import CRDTSimulator
import Toolkit

/// What `crdt-demo convert` was asked for.
struct ConvertOptions: Equatable {
  /// The path of a document or of JSON; `-` stands for the standard input.
  var file: String
  /// Where the other form goes, unless to the standard output.
  var output: String?

  init(_ arguments: Arguments) throws(UsageError) {
    file = try arguments.operand("file operand")
    output = arguments.values["output"]
  }
}

/// `crdt-demo convert`: an encoded document as JSON, or JSON as an encoded document.
enum ConvertCommand {
  /// The greatest file that is read, in bytes.
  static let sizeMax = 256 << 20

  static func run(_ options: ConvertOptions) -> ExitStatus {
    var console = Console()
    do throws(CommandFailure) {
      let bytes = try CommandFailure.naming(options.file) { () throws(CommandFailure) in
        try converted(try FileReader.read(options.file, sizeMax: sizeMax))
      }
      guard let path = options.output else {
        console.write(bytes)
        return console.finish(.success)
      }
      try CommandFailure.naming(path) { () throws(CommandFailure) in
        try FileWriter.write(bytes, to: path)
      }
      return console.finish(.success)
    } catch {
      console.error(error.description)
      return console.finish(.trouble)
    }
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
    let value: Document.Value
    do throws(JSONFailure) {
      value = try JSONText(parsing: bytes).documentValue()
    } catch {
      throw CommandFailure("\(error)")
    }
    return try Document(json: value)
  }
}

extension ConvertCommand: Command {
  static let name = "convert"
  static let operands = "[OPTION]... FILE"
  static let statuses =
    "0 if it was done,"

  static var options: [ArgumentScanner.Option] { [.init(name: "output", letter: "o")] }

  static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus {
    run(try ConvertOptions(arguments))
  }

  static let help = """
    convert takes an encoded document and writes what it shows as JSON, an object of
    collections of records of fields; or takes such JSON and writes a document.

      -o, --output=FILE      where it goes (default the standard output)
    """
}
