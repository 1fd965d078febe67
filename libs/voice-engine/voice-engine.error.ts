export type VoiceEngineFailure =
  /** Too much is waiting already; nothing was started. Try again shortly. */
  | 'busy'
  /** The engine took longer than it may. */
  | 'timeout'
  /** The engine broke, crashed or cannot be reached. */
  | 'failed';

/** The engine could not produce speech; nothing is wrong with the request. */
export class VoiceEngineError extends Error {
  constructor(
    readonly failure: VoiceEngineFailure,
    message: string,
    options?: { cause: unknown },
  ) {
    super(message, options);
    this.name = 'VoiceEngineError';
  }
}
