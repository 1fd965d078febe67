/**
 * What a model of listeners says of a recording, on the 1 (bad) to 5 scale. Each model gives its own scores; the others are
 * null.
 */
export interface SecondOpinion {
  /** File name of the model and the beginning of its SHA-256. */
  model: string;
  /** Quality of the speech itself (P.835); null when the model failed. */
  sig: number | null;
  /** Quality of the background (P.835). */
  bak: number | null;
  /** Overall quality (P.835). */
  ovrl: number | null;
  /** Overall quality (P.808): the measurement `listenerScore`, which rules can make part of the grade. */
  p808: number | null;
  /** Windows of 9 s that were listened to. */
  windows: number;
  /** Why scores are missing; null with scores. */
  problem: string | null;
}

/** The scores of a model that failed. */
export const NO_SCORES = { sig: null, bak: null, ovrl: null, p808: null } as const;
