extension TextColumn {
  /// Merges the elements of another copy of the column, as far as they concern events
  /// after `base`.
  ///
  /// The rule is that of rows; see ``DotTable``. An element that stays is dead if it is
  /// dead in either copy. Returns whether anything has changed.
  ///
  /// - Complexity: O(pages), and O(elements) for pages in which the two copies differ.
  @usableFromInline
  mutating func merge(
    _ other: TextColumn, seen: UInt64, _ otherSeen: UInt64, after base: UInt64
  ) -> Bool {
    if pages.sharesStorage(with: other.pages) { return false }
    var merged: ContiguousArray<TextPage> = []
    var hasChanged = false
    var theirs = other.pages.startIndex
    var place = 0
    while place < pages.count || theirs < other.pages.count {
      let mine = place < pages.count ? pages[place] : nil
      let page = theirs < other.pages.count ? other.pages[theirs] : nil
      if let mine, let page, mine.first == page.first {
        merged.append(mine === page ? mine : mine.merged(page, seen, otherSeen, after: base))
        if merged.last?.present.isEmpty == true { merged.removeLast() }
        place += 1
        theirs += 1
      } else if let mine, page.map({ mine.first < $0.first }) ?? true {
        let kept = mine.kept(mine.slotsUndecided(after: base, upTo: otherSeen))
        if let kept { merged.append(kept) }
        place += 1
      } else if let page {
        if let added = page.kept(~page.slots(upTo: seen)) { merged.append(added) }
        theirs += 1
      }
      hasChanged =
        hasChanged || merged.count > pages.count
        || merged.last.map { $0 !== pages[merged.count - 1] } ?? false
    }
    guard hasChanged || merged.count != pages.count else { return false }
    pages = SharedList(merged)
    return true
  }

  /// Adds the elements of a delta that continues at the end of this column; all are new.
  @usableFromInline
  mutating func append(_ other: TextColumn) {
    for page in other.pages {
      guard pages.last?.first == page.first else {
        pages.append(page)
        continue
      }
      change(pages.count &- 1) { $0.append(page.present, of: page) }
    }
  }
}

extension TextPage {
  /// Returns the merge with another copy of the page; one of the two if nothing else is
  /// needed.
  fileprivate func merged(
    _ other: TextPage, _ seen: UInt64, _ otherSeen: UInt64, after base: UInt64
  ) -> TextPage {
    let keep = present & (other.present | slotsUndecided(after: base, upTo: otherSeen))
    let added = other.present & ~slots(upTo: seen)
    let died = other.dead & keep & ~dead
    if keep == present, added.isEmpty, died.isEmpty { return self }
    if keep.isEmpty, added == other.present { return other }
    let page = keep == present ? TextPage(self) : copy(keeping: keep)
    page.kill(died)
    page.append(added, of: other)
    return page
  }
}
