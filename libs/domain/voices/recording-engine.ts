/** Stands for an engine in the spec of a voice from recordings, which none can read. */
export const RECORDING_ENGINE = 'recording';
