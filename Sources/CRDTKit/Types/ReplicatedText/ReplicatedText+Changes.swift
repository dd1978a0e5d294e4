extension ReplicatedText {
  /// One difference between two states of a text.
  public struct Change: Hashable, Sendable {
    /// The characters that are replaced, in the unit that you asked for, counted after the
    /// changes before this one are made.
    public let replaced: Range<Int>
    /// The text that comes in their place; empty if they are only removed.
    public let inserted: String
  }
}

extension ReplicatedTextProtocol {
  /// Returns the changes that turn an earlier state of the text into this one, in order.
  ///
  /// Each change comes after the ones before it in the text. Apply them one after another to
  /// what a text view shows:
  ///
  ///     for change in body.changes(since: shown, in: .utf16) {
  ///       storage.replaceCharacters(in: NSRange(change.replaced), with: change.inserted)
  ///     }
  ///     shown = body   // also after an edit that the view has made itself
  ///
  /// - Parameters:
  ///   - earlier: A copy of the text; `nil` if nothing was shown, and all of the text is
  ///     inserted. Characters that it has and this text has not seen are removed by the changes.
  ///   - unit: The unit of the ranges; not lines.
  /// - Returns: The changes, in ascending order of their ranges; empty if the two are equal.
  /// - Precondition: The unit isn't lines.
  /// - Complexity: O(n log n) for n runs of characters, and what it costs to merge the pages
  ///   that differ; O(length of both) if a fork was mended in between, or if a document's text
  ///   was made anew under another spelling of its name.
  @_specialize(where Self == ReplicatedText)
  public func changes(since earlier: Self?, in unit: Unit = .utf16) -> [ReplicatedText.Change] {
    precondition(unit != .lines, "a change need not begin with a line: choose another unit")
    guard let earlier, earlier._start == _start else {
      return ReplicatedText.Change.changes(from: earlier?.string ?? "", to: string, in: unit)
    }
    if _table == earlier._table { return [] }
    var joined = _table
    joined.merge(earlier._table)
    guard _table.forks == earlier._table.forks, _table.forks == joined.forks else {
      // The same characters may have other names in the two: compare what is written.
      return ReplicatedText.Change.changes(from: earlier.string, to: string, in: unit)
    }
    var changes = ChangeList(unit: unit.size)
    joined.withOrder { order in
      order.forEachSpan(ofTextAt: _start) { span in
        let first = order.dot(span.first)
        var slots = 0
        while slots < span.count {
          let dot = Dot(first.replica, first.counter &+ UInt64(slots))
          let (isNow, now) = _table.livingRun(at: dot, atMost: span.count - slots)
          let (wasThen, then) = earlier._table.livingRun(at: dot, atMost: span.count - slots)
          let count = min(now, then)
          let shown = isNow ? _table : earlier._table
          if isNow || wasThen, let (page, slot) = shown.textElement(at: dot) {
            page.withText(of: slot..<slot + count) { text in
              changes.add(text, isNow: isNow, wasThen: wasThen)
            }
          }
          slots += count
        }
      }
    }
    return changes.finished()
  }
}

extension ReplicatedText.Change {
  /// The changes that turn one string into another, by few and small ones.
  ///
  /// - Complexity: O(length of both).
  package static func changes(
    from old: String, to new: String, in unit: ReplicatedText.Unit = .utf16
  ) -> [ReplicatedText.Change] {
    var changes = ChangeList(unit: unit.size)
    changes.add(from: old, to: new)
    return changes.finished()
  }
}

extension DotTable {
  /// Returns whether the element at a dot is there and not dead, and for how many
  /// consecutive elements that is the same.
  fileprivate func livingRun(at dot: Dot, atMost count: Int) -> (isLiving: Bool, count: Int) {
    guard let place = column(of: dot.replica),
      let page = columns[place].texts.page(of: dot.counter)
    else { return (false, count) }
    let living = page.present & ~page.dead
    let slot = Int(dot.counter &- page.first)
    let isLiving = living[slot]
    let end = isLiving ? living.nextGap(from: slot) : living.next(from: slot)
    return (isLiving, min(count, end - slot))
  }
}

/// The changes found so far.
private struct ChangeList {
  let unit: TextUnit
  private var changes: [ReplicatedText.Change] = []
  /// The length of the text so far, with the changes made.
  private var offset = 0
  private var removed = 0
  private var inserted: [UInt8] = []

  init(unit: TextUnit) {
    self.unit = unit
  }

  /// Adds a piece of text that is there now, or was there then, or both.
  mutating func add(_ text: UnsafeBufferPointer<UInt8>, isNow: Bool, wasThen: Bool) {
    let size = TextSize(of: text)[unit]
    if isNow, wasThen {
      flush()
      offset += size
    } else if isNow {
      inserted.append(contentsOf: text)
    } else {
      removed += size
    }
  }

  /// Adds the differences between two strings.
  mutating func add(from old: String, to new: String) {
    var (old, new) = (old, new)
    old.withUTF8 { old in
      new.withUTF8 { new in
        var last = 0
        for edit in TextDifference(from: old, to: new).edits {
          add(
            UnsafeBufferPointer(rebasing: old[last..<edit.removed.lowerBound]), isNow: true,
            wasThen: true)
          add(UnsafeBufferPointer(rebasing: old[edit.removed]), isNow: false, wasThen: true)
          add(UnsafeBufferPointer(rebasing: new[edit.inserted]), isNow: true, wasThen: false)
          last = edit.removed.upperBound
        }
      }
    }
  }

  private mutating func flush() {
    guard removed > 0 || !inserted.isEmpty else { return }
    changes.append(
      ReplicatedText.Change(
        replaced: offset..<offset + removed, inserted: String(decoding: inserted, as: UTF8.self)))
    offset += inserted.withUnsafeBufferPointer { TextSize(of: $0)[unit] }
    removed = 0
    inserted.removeAll(keepingCapacity: true)
  }

  consuming func finished() -> [ReplicatedText.Change] {
    flush()
    return changes
  }
}
