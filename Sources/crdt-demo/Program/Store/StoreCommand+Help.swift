extension StoreCommand {
  /// What the help says of it.
  static let help = """
    store keeps a document in a folder, DIR, as crash-safe files. Only one can write
    to it at a time; others read it meanwhile, but for 'verify'.

      store init DIR [--schema=FILE] [--replica=ID] [--document=NAME]
                             make one; the schema has the rules of fields, as JSON:
                               {"collections": {"notes": {"fields":
                               {"tags": "set", "likes": "counter"}}}}
                               Stores of one NAME, or identifier, are one document
                               from the start. Without it, a store that is empty
                               becomes that of the first it syncs with
      store put DIR COLLECTION RECORD FIELD=JSON...
                             write fields of a record, and leave its other ones; an
                               object in JSON, or - for one on the standard input,
                               gives several, and leaves what it doesn't name within
                               objects too. FIELD may be a path: address.city. A
                               record that was deleted is restored by it, with the
                               fields that it had, and a message says so
      store get DIR COLLECTION RECORD [FIELD] [--orphaned]
                             show a record or a field as JSON
      store list DIR [COLLECTION] [--deleted | --orphaned]
                             names of collections, or of a collection's records;
                               of those that are there, that were deleted, or that
                               were purged while a store that was away longer than
                               deletions are kept edited them
      store delete DIR COLLECTION RECORD
      store restore DIR COLLECTION RECORD
                             bring a deleted record back, until it is purged, or
                               what is left of an orphaned one
      store discard DIR COLLECTION RECORD
                             remove what is left of an orphaned record
      store status DIR [--json]
                             a table of collections: how many records are there and
                               deleted; pending: in how many of these something
                               stands that one of the peers isn't known to have;
                               conflicts: fields with values to choose from; last
                               sync: when the last peer was heard of. Below, for
                               each peer, how many changes it lacks, removals too,
                               which leave no record pending
      store log DIR [--json] the changes in the log, a line each: time, segment and
                               byte, size of what was written at once, who made it
                               and how many events they had then, records
      store verify DIR       read and check every byte, and that the log is as long
                               as it was when the store was last closed
      store salvage DIR      save what is whole of a damaged store; what isn't goes
                               to DIR/quarantine; the store gets a new replica ID
      store restamp DIR      write anew, with stamps of now, what is stamped in the
                               future since the clock was ahead: peers refuse that.
                               Set the clock right first
      store compact DIR      write a snapshot, and remove what it makes needless
      store export DIR [--output=FILE]
                             all that is there as JSON, as convert shows it
      store import DIR FILE  take such JSON in, of any size, as one commit, or as
                               several where it has more than 8 MiB; what it doesn't
                               name stays, what is there already isn't written
                               again; FILE may be - for the standard input
      store sync DIR (--folder=PATH | --with=DIR |
                      --command=COMMAND [--timeout=SECONDS] [--rate=BYTES]
                                        [--memory=MIB])
                 [--watch [--every=SECONDS]] [--join]
                             exchange changes until both sides hold the same: by way
                               of a folder that others sync with as well, on a
                               shared disk or copied by a tool; with another store;
                               or with one that a command serves, such as
                               'ssh host crdt-demo serve DIR', which has 30 seconds,
                               or --timeout, to greet, may be silent for as long,
                               and has to move 10 bytes a second, or --rate, or it
                               is ended with all that it started; what it brings may
                               take 1024 MiB of memory, or --memory. With --watch,
                               go on, a round every 5 seconds or as --every says;
                               the store is free in between. Status 1 if files
                               that are needed have not come yet, or are damaged.
                               Stores in which was written before they first met
                               are of different documents, and refuse each other;
                               --join makes them one for ever, if they were meant
                               to be
    """
}
