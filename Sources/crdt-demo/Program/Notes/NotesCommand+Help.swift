extension NotesCommand {
  /// What the help says of it.
  static let help = """
    notes keeps notes in a store, by the public interface alone, as an app would.
    They are in DIR, or in $CRDT_NOTES, or else in notes.crdt. ID is the beginning
    of a note's identifier.

      notes add TITLE... [-b TEXT] [-t TAG]... [--id=ID]
                             make a note, with a body (--body, - for the standard
                               input) and tags (--tag)
      notes edit ID [--title=TEXT] [-b TEXT | -a TEXT]
                             change the title or the --body, or --append a line;
                               without an option in $VISUAL or $EDITOR, while the
                               notes stay free for others
      notes tag ID TAG...
      notes untag ID TAG...
      notes like ID [TIMES]
      notes pin ID...        list it before others
      notes unpin ID...
      notes list [-t TAG] [--sort=ORDER] [-l]
                             all notes, or those with a --tag, by updated (default),
                               created, title or likes; * is pinned, ! in conflict;
                               with --long, when they were changed
      notes show ID          all of a note
      notes search TEXT...   notes in which a text stands; status 1 if in none
      notes trash ID...      delete notes, all or none
      notes trashed          list what can be restored
      notes restore ID...
      notes conflicts        bodies that were changed in two places at once
      notes resolve ID FIELD (--keep=N | --text=TEXT)
                             settle one by its Nth side or by a text, for everyone
      notes violations       titles that were chosen twice; status 1 if any were
      notes status           how many notes are here, at a server, pending, in
                               conflict, and when they were last in sync
      notes sync (--folder=PATH | --with=DIR |
                  --command=COMMAND [--timeout=SECONDS] [--rate=BYTES]
                                    [--memory=MIB])
                 [--join]
                             exchange changes: by way of a folder that others sync
                               with as well, with other notes, or with those that a
                               command serves: 'ssh host crdt-demo serve notes.crdt'
                               (it may be silent for 30 seconds, or --timeout, and
                               has to move 10 bytes a second, or --rate; what it
                               brings may take 1024 MiB of memory, or --memory).
                               Notes that were begun apart are joined only if
                               --join says that they belong together
      notes watch [--folder=PATH] [--for=SECONDS]
                             show the notes and every change, kept in sync by way of
                               a folder if there is one, until the standard input
                               ends or the time is over. Lines on it are commands,
                               such as 'add Milk'
      notes undo             within watch: take the last change back
      notes export           all notes as JSON, one a line
    """
}
