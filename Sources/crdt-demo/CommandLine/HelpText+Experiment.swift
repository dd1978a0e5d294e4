extension HelpText {
  /// What the help says of experiments.
  static let experiment = """
    experiment runs measurements of the literature on delta-CRDTs in virtual time,
    with the algorithms that it compares and with CRDTKit's own sessions. NAME is

      icde19                 the micro-benchmarks of Enes, Almeida, Baquero,
                             Leitão, "Efficient Synchronization of State-based
                             CRDTs", 2019: each ratio beside the published one
      growth                 the set of unique elements on meshes of degree 4 with
                             16, 32, 64 and 128 nodes
      retwis                 the same paper's Twitter clone, with 50 nodes and
                             10,000 users

      -s, --seed=N           the seed of all chance (default 1)
          --only=ROW         one row of the table: gset-mesh, 64 or 1.00, say
          --report=FILE      write a page of HTML with the bytes of each algorithm
                               over time
      -j, --json             print one JSON object
      -q, --quiet            show no progress

    The same command gives the same counts every time; only 'CPU' differs. The
    status is 1 where a published ratio of icde19 is missed by more than 5 %.
    """
}
