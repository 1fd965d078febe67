/**
 * Volumes (0 to 1) at which recordings are equally loud: that of the quietest. Nothing is turned up, because it might be cut
 * off. Null when the loudness of one of them is not known.
 *
 * @param lufs integrated loudness of each
 */
export function matchedVolumes(lufs: readonly (number | null)[]): number[] | null {
  const known = lufs.filter((each) => each !== null);
  if (known.length < lufs.length) return null;
  const quietest = Math.min(...known);
  return known.map((each) => 10 ** ((quietest - each) / 20));
}
