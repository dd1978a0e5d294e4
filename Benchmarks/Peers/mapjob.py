"""The keys and values of the map job: the same as in Inputs/MapJob.swift."""

WORD = (1 << 64) - 1
DELTA_SIZE = 100


def mix(state):
    """SplitMix64 (Steele, Lea, Flood, 2014)."""
    mixed = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB & WORD
    return mixed ^ (mixed >> 31)


def text(number):
    """Seven letters that resemble no others: a random number to base 26."""
    rest = mix((number + 0x9E3779B97F4A7C15) & WORD)
    letters = []
    for _ in range(7):
        rest, digit = divmod(rest, 26)
        letters.append(chr(97 + digit))
    return "".join(letters)


def key(number):
    return f"key-{number:06d}"


def shuffled(count):
    """Numbers in an order that nothing can guess (not the same as in Swift)."""
    return sorted(range(count), key=lambda number: mix((number * 2 + 1) & WORD))


def pairs(count, first=0, round=0):
    """The keys from one on, with the values of a round of overwriting."""
    return [
        (key(first + number), text(first + number + 2 * round * count))
        for number in range(count)
    ]


def batches(count, steps):
    """A hundred pairs a step: fifty new keys, and fifty others overwritten."""
    old = shuffled(count)
    half = DELTA_SIZE // 2
    result = []
    for step in range(steps):
        keys = []
        for place in range(half):
            number = step * half + place
            keys += [key(count + number), key(old[number % count])]
        result.append([(k, text(step * DELTA_SIZE + i)) for i, k in enumerate(keys)])
    return result
