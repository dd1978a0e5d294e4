extension HelpText {
  /// What the help says of replaying histories.
  static let replay = """
    replay takes a history trace (commits on lanes, each writing and removing
    paths) through an observed-remove map of registers, or through a document with
    a record for each path. Each lane is a replica; every parent's state reaches it
    as an encoded delta. A structured trace writes and removes the fields of one
    JSON file, nested ones too: it is replayed as a document, with one record. FILE
    may be - for the standard input.

          --as=FORM          what to replay it as: map or document (default map)
      -j, --json             print one JSON object
    """

  /// What the help says of merging.
  static let merge = """
    merge makes one JSON file of two that were changed and the one they began as,
    member by member; an empty BASE stands for none. They may begin with a byte
    order mark, and be as large as fits into memory. It prints the file laid out as
    OURS, untouched parts as they were. Where both sides changed a value and no rule
    decides, that is a conflict: it is reported, and the file shows OURS there, so
    that it stays JSON. As a merge driver of git:

      git config merge.json.driver 'crdt-demo merge -o %A --name %P %O %A %B'
      git config merge.json.recursive binary

      -o, --output=FILE      write to FILE, all or nothing, not to standard output
          --schema=FILE      the rules of fields, as JSON, with paths from the root:
                               {"fields": {"tags": "set", "stats.*": "counter"},
                                "deletion": "updateWins"}; without "deletion", a
                               change against a removal is a conflict
          --name=NAME        what messages call the file (default OURS)
    """

  /// What the help says of converting.
  static let convert = """
    convert takes an encoded document and writes what it shows as JSON, an object of
    collections of records of fields; or takes such JSON and writes a document.

      -o, --output=FILE      where it goes (default the standard output)
    """
}
