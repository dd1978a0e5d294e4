import CRDTSimulator
import Toolkit

/// What can be done with notes.
enum NotesVerb: String, CaseIterable {
  case add, edit, show, tag, untag, like, pin, unpin, list, search, trash, trashed, restore
  case conflicts, resolve, violations, undo, status, sync, watch, export
}

extension NotesVerb {
  /// How the store is opened.
  enum Access {
    /// It is only read, beside others.
    case reading
    /// It is changed, and is there already.
    case changing
    /// It is changed, and made where it isn't there.
    case creating
  }

  /// How the store is opened for it.
  var access: Access {
    switch self {
    case .show, .list, .search, .trashed, .conflicts, .violations, .status, .export: .reading
    case .edit, .tag, .untag, .like, .pin, .unpin, .trash, .restore, .resolve, .undo: .changing
    case .add, .sync, .watch: .creating
    }
  }

  /// The operands.
  var operands: OperandNames {
    switch self {
    case .add: ["TITLE..."]
    case .edit, .show: ["ID"]
    case .tag, .untag: ["ID", "TAG..."]
    case .like: ["ID", "[TIMES]"]
    case .pin, .unpin, .trash, .restore: ["ID..."]
    case .search: ["TEXT..."]
    case .resolve: ["ID", "FIELD"]
    case .list, .trashed, .conflicts, .violations, .undo, .status, .sync, .watch, .export: []
    }
  }

  /// The options.
  var options: [ArgumentScanner.Option] {
    switch self {
    case .add:
      [
        ArgumentScanner.Option(name: "body", letter: "b"),
        ArgumentScanner.Option(name: "tag", letter: "t"), "id",
      ]
    case .edit:
      [
        "title", ArgumentScanner.Option(name: "body", letter: "b"),
        ArgumentScanner.Option(name: "append", letter: "a"),
      ]
    case .list:
      [
        ArgumentScanner.Option(name: "tag", letter: "t"), "sort",
        .flag("long", "l"),
      ]
    case .resolve: ["keep", "text"]
    case .sync:
      [
        "folder", "with",
        "command",
        .flag("join"),
      ] + PeerLimits.options
    case .watch: ["folder", "for"]
    default: []
    }
  }
}
