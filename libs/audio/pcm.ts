/** Mono sound in memory: samples in -1..1 (may overshoot), `sampleRate` in Hz. */
export interface Pcm {
  samples: Float32Array;
  sampleRate: number;
}

/** Length of the sound in seconds. */
export function durationSecs({ samples, sampleRate }: Pcm): number {
  return samples.length / sampleRate;
}
