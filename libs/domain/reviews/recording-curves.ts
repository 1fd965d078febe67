/** Points of a curve. */
export type Curve = readonly (readonly [value: number, impairment: number])[];

/**
 * Noise and distortion follow listeners (P.835 crowd scores of noise and MNRU conditions); the others are engineering
 * choices around the published recording guides that the targets come from.
 */
export const CURVES = {
  noiseBySnrDb: [
    [-5, 3.5],
    [0, 3.3],
    [8, 2.8],
    [16, 2.05],
    [26, 1.55],
    [36, 1.15],
    [46, 0.42],
    [52, 0.05],
    [60, 0],
  ],
  distortionByHfDb: [
    [-53, 0],
    [-48, 0.2],
    [-41, 0.75],
    [-33.5, 1.35],
    [-26, 1.9],
    [-18, 2.8],
    [-12, 3.2],
  ],
  distortionByValleyDb: [
    [-56, 0],
    [-54, 0.2],
    [-52, 0.6],
    [-49.5, 1],
    [-44, 1.9],
    [-38, 2.6],
    [-32, 3],
    [-28, 3.3],
  ],
  artifactsByPeakinessDb: [
    [2.9, 0],
    [3.5, 0.6],
    [4, 1.1],
    [5, 1.8],
    [7, 2.6],
  ],
  artifactsByRawValleyDb: [
    [-95, 2.4],
    [-87, 1.8],
    [-77, 0.8],
    [-69, 0],
  ],
  bandwidthByHz: [
    [2500, 2.5],
    [3400, 2.05],
    [4500, 1.96],
    [5750, 1.1],
    [7000, 0.6],
    [8000, 0.4],
    [10e3, 0.25],
    [12e3, 0.1],
    [14e3, 0],
  ],
  clippingByRatio: [
    [2e-5, 0],
    [1e-4, 0.2],
    [1e-3, 0.7],
    [5e-3, 1.3],
    [2e-2, 2],
    [8e-2, 3],
  ],
  limitingByShare: [
    [0.3, 0],
    [0.36, 0.4],
    [0.45, 1.1],
    [0.6, 1.9],
    [0.75, 2.6],
  ],
  reverberationBySecs: [
    [0.25, 0],
    [0.3, 0.3],
    [0.4, 0.7],
    [0.6, 1.4],
    [1, 2.2],
    [1.5, 3],
  ],
  humByDb: [
    [-50, 0],
    [-45, 0.3],
    [-40, 0.6],
    [-30, 1.2],
    [-20, 2],
  ],
  /** Hardly audible alone, but it shakes loudspeakers and takes the room of the speech. */
  rumbleBySpeechDb: [
    [-12, 0],
    [-6, 0.4],
    [0, 1.2],
    [10, 2.2],
  ],
  levelByLufs: [
    [-60, 2.8],
    [-50, 1.8],
    [-40, 0.8],
    [-33, 0.3],
    [-27, 0],
    [-14, 0],
    [-12, 0.3],
    [-8, 0.8],
  ],
  dropoutsPer10Secs: [
    [0, 0],
    [1, 0.8],
    [3, 1.6],
    [10, 2.5],
  ],
  clicksPer10Secs: [
    [2, 0],
    [5, 0.6],
    [10, 1.1],
    [20, 1.7],
    [60, 2.5],
  ],
  tapsPer10Secs: [
    [14, 0],
    [20, 0.7],
    [28, 1.2],
    [60, 1.8],
  ],
  echoByDb: [
    [-11, 0],
    [-9, 0.7],
    [-6.5, 1.4],
    [-2, 2],
  ],
  secondVoiceByShare: [
    [0.045, 0],
    [0.06, 0.95],
    [0.1, 1.5],
    [0.2, 2],
  ],
  /** Share of the recording that is lost. */
  damagedByLostShare: [
    [0, 0],
    [0.02, 0.8],
    [0.2, 2],
    [0.5, 3],
  ],
  /** A voice in one channel only is heard on one side; small differences are an ordinary stereo picture. */
  deadChannelByDb: [
    [-50, 0.7],
    [-30, 0],
  ],
  /** Played by one loudspeaker, inverted channels cancel each other. */
  invertedChannelBySumDb: [
    [-20, 1.2],
    [-10, 0],
  ],
  dcByOffset: [
    [0.005, 0],
    [0.01, 0.2],
    [0.03, 0.6],
    [0.1, 1.2],
  ],
  /**
   * dB of residue above 5 kHz that are put down to a narrow recording: what distortion adds spreads over the whole band, so
   * that of 16 kHz holds three times as much of it in each hertz as that of 48 kHz.
   */
  spreadDbBySampleRate: [
    [16e3, 4.8],
    [24e3, 3],
    [48e3, 0],
  ],
  /** dB of residue between the formants that are put down to a low voice, whose harmonics leave no valley empty. */
  filledDbByPitchHz: [
    [110, 9],
    [180, 0],
  ],
  /** dB of a high floor above 5 kHz that are put down to a bright or breathy voice, as fricatives stand far out of it. */
  forgivenDbByContrast: [
    [20, 0],
    [28, 14],
  ],
} as const satisfies Record<string, Curve>;

export type CurveName = keyof typeof CURVES;

/** The impairment at a value: straight lines between the points, held beyond the ends. */
export function readCurve(curve: Curve, value: number): number {
  const upper = curve.findIndex(([x]) => x >= value);
  if (upper === 0) return curve[0]![1];
  if (upper < 0) return curve[curve.length - 1]![1];
  const [x0, y0] = curve[upper - 1]!;
  const [x1, y1] = curve[upper]!;
  return y0 + ((y1 - y0) * (value - x0)) / (x1 - x0);
}
