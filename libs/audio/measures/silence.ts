/** Peak of what is inaudible: -80 dBFS, three steps of 16 bits. */
const INAUDIBLE_PEAK = 1e-4;
/** As much of a silent recording is measured: the rest is the same. */
const SILENCE_SECS = 10;

/** What must be measured of a recording: all of it, or the beginning of one in which nothing can be heard. */
export function audiblePart(samples: Float32Array, sampleRate: number): Float32Array {
  const isSilent = samples.every((sample) => sample < INAUDIBLE_PEAK && sample > -INAUDIBLE_PEAK);
  return isSilent ? samples.subarray(0, SILENCE_SECS * sampleRate) : samples;
}
