/** Of a voice on the no-go list, that another one has a recording of it. */
export interface BlockedSimilarity {
  blockedVoiceId: string;
  bitErrorRate: number;
}

/** Recordings of the no-go list that were found in a voice or in one of its samples. */
export interface BlockedRecordingFindings {
  found: BlockedSimilarity[];
  /** False when the search took too long: there may be others. */
  isComplete: boolean;
}
