type VoiceEngineFailure =
  /** The speech server has too much to do. Try again shortly. */
  | 'busy'
  /** The wait would be too long, or memory short; nothing was started. Try again after `retryAfterSecs`. */
  | 'queue_full'
  /** The engine took longer than it may. */
  | 'timeout'
  /** The engine broke, crashed or cannot be reached. */
  | 'failed';

/** The engine could not produce speech; nothing is wrong with the request. */
export class VoiceEngineError extends Error {
  constructor(
    readonly failure: VoiceEngineFailure,
    message: string,
    readonly options: {
      cause?: unknown;
      retryAfterSecs?: number;
      /** Of a response of the server that speaks. */
      status?: number;
      /** Whether the server may have charged what it did not deliver. */
      mayHaveCharged?: boolean;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'VoiceEngineError';
  }
}
