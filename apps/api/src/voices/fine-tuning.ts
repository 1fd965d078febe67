/** The wire contract's object of a voice that is not fine-tuned. Some clients read into it without asking whether it is there. */
export interface FineTuningResponse {
  is_allowed_to_fine_tune: false;
  /** By model. */
  state: Record<string, string>;
  verification_failures: never[];
  verification_attempts_count: 0;
  manual_verification_requested: false;
  language: null;
  progress: Record<string, number>;
  message: Record<string, string>;
  dataset_duration_seconds: null;
  verification_attempts: null;
  slice_ids: null;
  manual_verification: null;
  max_verification_attempts: null;
  next_max_verification_attempts_reset_unix_ms: null;
}

export const NOT_FINE_TUNED: Readonly<FineTuningResponse> = Object.freeze({
  is_allowed_to_fine_tune: false,
  state: {},
  verification_failures: [],
  verification_attempts_count: 0,
  manual_verification_requested: false,
  language: null,
  progress: {},
  message: {},
  dataset_duration_seconds: null,
  verification_attempts: null,
  slice_ids: null,
  manual_verification: null,
  max_verification_attempts: null,
  next_max_verification_attempts_reset_unix_ms: null,
});
