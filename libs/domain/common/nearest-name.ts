const MAX_SLIPS = 2;

/**
 * The known name that one with a slip of the pen was meant to be.
 *
 * @param name of at least 5 characters; a shorter one is meant to be nothing
 * @returns null when none is within two slips: a letter too many, missing, another, or two in each other's place
 */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length < 5) return null;
  const near = known
    .filter((other) => Math.abs(other.length - name.length) <= MAX_SLIPS)
    .map((other) => ({ other, slips: slipsBetween(name, other) }));
  const [best] = near.filter(({ slips }) => slips <= MAX_SLIPS).sort((one, other) => one.slips - other.slips);
  return best?.other ?? null;
}

/** The distance of Damerau and Levenshtein, of strings aligned optimally. */
function slipsBetween(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1);
    }
    rows.push(row);
  }
  return rows[one.length]![other.length]!;
}
