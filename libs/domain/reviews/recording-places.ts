/** A stretch of a recording, in seconds from its start. */
export interface Stretch {
  fromSecs: number;
  toSecs: number;
}

/** As many stretches of a kind are stored: of more, the longest. */
export const MOST_PLACES = 50;

/** Where in a recording its troubles are. What has no place (an echoing room, residue of the voice) is not here. */
export interface RecordingPlaces {
  clipped: Stretch[];
  dropouts: Stretch[];
  clicks: Stretch[];
  /** Seconds of speech far below the level to aim for. */
  tooQuiet: Stretch[];
  /** Mains frequency and the harmonics that stand out, Hz; empty without hum. */
  humHz: number[];
}

/**
 * The stretches in their order, those less than `gapSecs` apart as one, rounded to milliseconds, and the longest when they
 * are more than {@link MOST_PLACES}.
 */
export function boundedStretches(stretches: readonly Stretch[], gapSecs: number): Stretch[] {
  const joined: Stretch[] = [];
  for (const { fromSecs, toSecs } of stretches.toSorted((a, b) => a.fromSecs - b.fromSecs)) {
    const last = joined.at(-1);
    if (last && fromSecs - last.toSecs < gapSecs) last.toSecs = Math.max(last.toSecs, toSecs);
    else joined.push({ fromSecs, toSecs });
  }
  const longest = joined
    .toSorted((a, b) => b.toSecs - b.fromSecs - (a.toSecs - a.fromSecs))
    .slice(0, MOST_PLACES);
  return longest
    .toSorted((a, b) => a.fromSecs - b.fromSecs)
    .map(({ fromSecs, toSecs }) => ({ fromSecs: milliseconds(fromSecs), toSecs: milliseconds(toSecs) }));
}

function milliseconds(secs: number): number {
  return Math.round(secs * 1_000) / 1_000;
}
