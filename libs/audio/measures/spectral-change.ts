import { bandPower, SpeechFrames } from '../signal/speech-frames';
import { mean, percentile } from '../signal/statistics';

/** Edges of the bands in which a spectrum is compared; telephone speech has them all. */
const EDGES_HZ = [200, 400, 700, 1_000, 1_500, 2_000, 2_700, 3_400];
/** 80 ms: about one sound of speech later. */
const LATER_FRAMES = 8;
/** A frame counts 6 dB above the noise and within 30 dB of the loudest; a band is read down to 3 dB above its noise. */
const ABOVE_NOISE = 4;
const BAND_ABOVE_NOISE = 2;
const AUDIBLE_SHARE = 1e-3;
const LEAST_BAND_SHARE = 1e-5;
const FEWEST_PAIRS = 15;

/**
 * How much the shape of the spectrum changes within 80 ms, dB (median of the root mean square over seven bands, level taken
 * out). Speech moves from sound to sound, voiced or whispered: 4 to 9. Steady noise, also in bursts, reads 2; tones and
 * tunes of held notes 0 to 1. Null with too few frames that stand out of the noise.
 */
export function measureSpectralChange(frames: SpeechFrames): number | null {
  const shapes = spectralShapes(frames);
  const changes: number[] = [];
  for (const [frame, shape] of shapes) {
    const later = shapes.get(frame + LATER_FRAMES);
    if (later) changes.push(Math.sqrt(mean(shape.map((level, band) => (later[band]! - level) ** 2))));
  }
  return changes.length < FEWEST_PAIRS ? null : percentile(changes, 0.5);
}

/** Levels of the bands re their mean, dB, of every frame that stands out. */
function spectralShapes(frames: SpeechFrames): Map<number, number[]> {
  const { count, power, noise, spectra, bins, binHz } = frames;
  const loudest = count === 0 ? 0 : percentile(power, 0.95);
  const audible = Math.max(noise.power * ABOVE_NOISE, loudest * AUDIBLE_SHARE);
  const bands = EDGES_HZ.slice(1).map((to, band) => ({ from: EDGES_HZ[band]!, to: to - binHz / 2 }));
  const floors = bands.map(({ from, to }) =>
    Math.max(bandPower(noise.spectrum, 0, binHz, from, to) * BAND_ABOVE_NOISE, loudest * LEAST_BAND_SHARE),
  );
  const shapes = new Map<number, number[]>();
  for (let frame = 0; frame < count; frame++) {
    if (power[frame]! <= audible) continue;
    const levels = bands.map(
      ({ from, to }, band) =>
        10 * Math.log10(Math.max(bandPower(spectra, frame * bins, binHz, from, to), floors[band]!)),
    );
    const middle = mean(levels);
    shapes.set(
      frame,
      levels.map((level) => level - middle),
    );
  }
  return shapes;
}
