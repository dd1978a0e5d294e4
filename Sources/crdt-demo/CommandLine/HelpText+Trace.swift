extension HelpText {
  /// What the help says of traces.
  static let trace = """
    trace shows what is in a trace of 'simulate': what each replica did, and the
    events. Of two traces it shows the first difference; the status is 0 if there is
    none, 1 if there is one. FILE may be - for the standard input.

          --replica=N        only events of the replica N, counted from 1, be it as
                               sender, receiver or end of a link
          --kind=KINDS       only events of these kinds, such as lose,crash
          --from=SECONDS     only events from this time on
          --to=SECONDS       only events until this time
          --html=FILE        write a page of HTML that shows the trace, and no text
    """
}
