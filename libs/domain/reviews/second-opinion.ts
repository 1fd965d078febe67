/** What a model of listeners makes of a recording: kept beside the verdict, never part of it. Scores are 1 (bad) to 5. */
export interface SecondOpinion {
  /** File name of the model and the beginning of its SHA-256. */
  model: string;
  /** Quality of the speech itself; null when the model failed. */
  sig: number | null;
  /** Quality of the background. */
  bak: number | null;
  /** Overall quality. */
  ovrl: number | null;
  /** Windows of 9 s that were listened to. */
  windows: number;
  /** Why scores are missing; null with scores. */
  problem: string | null;
}
