/** Mono sound in memory: samples in -1..1 (may overshoot), `sampleRate` in Hz. */
export interface Pcm {
  samples: Float32Array;
  sampleRate: number;
}

/** Length of the sound in seconds. */
export function durationSecs({ samples, sampleRate }: Pcm): number {
  return samples.length / sampleRate;
}

/** A louder (`gain` above 1) or softer copy. A loop, because `map` of a typed array takes several times as long. */
export function scale(samples: Float32Array, gain: number): Float32Array {
  const scaled = new Float32Array(samples.length);
  for (let n = 0; n < samples.length; n++) scaled[n] = samples[n]! * gain;
  return scaled;
}
