import Toolkit

/// Breaks the stores of real processes on real disks, and looks whether anything
/// is missing that was acknowledged.
@main
enum StoreTorture {
  static let help = """
    Usage: crdt-torture COMMAND [OPTION]…

      write DIR --acks FD|PATH   commits to the store for ever; notes what was acknowledged
      audit DIR --acks PATH      opens the store and checks it: status 0, or 1 if it broke a promise
      kills                      kills writers with SIGKILL, audits after each
      power-cuts --disk ext4     cuts the power of a loop-mounted disk (ext2, ext4), as root
      full-disk                  writes on disks that fill up (tmpfs, ext4), as root
      limits                     too few descriptors, a bound on the size of files
      races                      two processes open one store
      faults                     system calls fail in the kernel, by strace
      folders                    opens, checks, salvages and syncs folders that were damaged
      memory                     reads bytes that come to many times their size, under a limit
      commits                    counts what a commit writes in a store that has met many peers

    Every command takes --seed N; most take --count N and --in FOLDER.
    write and audit: --seed N (of the store's contents), --run N, --threads N, --tasks N,
      --relaxed-share PERCENT, --segment-bytes N, --compact, --purge, --pauses,
      --milliseconds N, --sabotage no-fdatasync|no-folder-fsync
    folders: --from N, --kind store|sealedStore|relay|sealedRelay|blobs, --on-disk
    memory: --bytes N (64 MiB; of the input and of the limit), --shape NAME
    commits: --peers N, --strangers N, --heads N (of each stranger)
    power-cuts: --sabotage no-fdatasync|no-folder-fsync expects that something is lost
    Status: 0 all promises held, 1 one was broken, 2 trouble, 64 usage, 77 skipped.
    """

  static func main() {
    System.prepare()
    let arguments: Arguments
    do { arguments = try Arguments(CommandLine.arguments.dropFirst()) } catch {
      System.report("crdt-torture: \(error.message)\n\(help)")
      System.exitNow(64)
    }
    do {
      System.exitNow(try run(arguments).rawValue)
    } catch let broken as BrokenPromise {
      System.report("BROKEN: \(broken.message)")
      System.exitNow(Outcome.broken.rawValue)
    } catch {
      System.report("crdt-torture \(arguments.command): \(error)")
      System.exitNow(Outcome.trouble.rawValue)
    }
  }

  private static func run(_ arguments: Arguments) throws -> Outcome {
    switch arguments.command {
    case "write": try Writer(arguments).run()
    case "audit": try Auditor(arguments).run()
    case "kills": try KillRounds(arguments).run()
    case "power-cuts": try PowerCuts(arguments).run()
    case "full-disk": try FullDisk(arguments).run()
    case "limits": try Limits(arguments).run()
    case "races": try Races(arguments).run()
    case "faults": try Faults(arguments).run()
    case "folders": try Folders(arguments).run()
    case "memory": try MemoryRounds(arguments).run()
    case "commits": try CommitRounds(arguments).run()
    default: throw UsageError("unknown command '\(arguments.command)'\n\(help)")
    }
  }
}
