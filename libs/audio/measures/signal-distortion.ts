import { bandPower, SpeechFrames } from '../signal/speech-frames';
import { percentile, powerDb } from '../signal/statistics';

const FEWEST_FRAMES = 15;
/** Taken out of every band before its floor is read: the mean noise plus its fluctuation. */
const NOISE_SHARE = 1.5;
/** What is left at least when noise covers the band: 20 dB below it counts as nothing. */
const LEAST_LEFT = 0.01;
const FLOOR_PERCENTILE = 0.25;
const VALLEY_PERCENTILE = 0.1;
/** The strongest of the sounds within 35 dB of the speech: pauses say nothing about them. */
const STRONGEST_PERCENTILE = 0.96;
const AUDIBLE_SHARE = 10 ** (-35 / 10);
const VALLEY_BINS_HZ = 125;
/** Where voiced sounds are nearly empty: above 5 kHz, and higher up in voices above 200 Hz, whose formants are higher too. */
const HIGH_BAND_HZ: [from: number, to: number] = [5_000, 7_600];
const HIGH_VOICE_HZ = 200;
const MOST_SHIFT = 1.36;

interface SignalDistortion {
  /** Floor of 5-7.6 kHz in voiced sounds re their power in 200-3400 Hz, dB. */
  voicedHfDb: number | null;
  /** How far the strongest sounds of 5-7.6 kHz stand above their level in voiced sounds, dB. */
  hfContrastDb: number | null;
  /** Floor of the valleys between 300 and 3400 Hz in voiced sounds, re the same, dB. */
  voicedValleyDb: number | null;
  /** The same with the noise left in, dB. */
  rawValleyDb: number | null;
}

/**
 * Distortion that follows the voice: quantisation, overload, bad codecs, modulated noise (MNRU). Clean voiced sounds
 * leave parts of the spectrum nearly empty, above 5 kHz and in the valleys between formants; such distortion fills
 * them. Steady noise, known from the pauses, is taken out first, and the floor over many sounds is read, so that
 * neither a hiss nor a few sharp sounds look like distortion. The valleys work at 8 kHz sample rate as well.
 *
 * @param bandwidthHz where the spectrum of the recording ends
 */
export function measureDistortion(frames: SpeechFrames, bandwidthHz: number): SignalDistortion {
  if (frames.voiced.length < FEWEST_FRAMES)
    return { voicedHfDb: null, hfContrastDb: null, voicedValleyDb: null, rawValleyDb: null };
  const hasHf = frames.sampleRate === 16_000 && bandwidthHz >= 7_000;
  const top = Math.min(3_400, bandwidthHz * 0.9);
  const fromHz = HIGH_BAND_HZ[0] * shiftOf(frames);
  return {
    voicedHfDb: hasHf
      ? floorDb(frames, (spectra, offset) => highBand(frames, spectra, offset, fromHz))
      : null,
    hfContrastDb: hasHf ? highContrastDb(frames, fromHz) : null,
    voicedValleyDb: floorDb(frames, valleyReader(frames, top, NOISE_SHARE)),
    rawValleyDb: floorDb(frames, valleyReader(frames, top, 0)),
  };
}

type BandReader = (spectra: Float32Array, offset: number) => number;

/** The lower quartile over voiced sounds of the band's power without noise, re the sound's own power. */
function floorDb(frames: SpeechFrames, read: BandReader): number {
  const ratios = frames.voiced.map((frame) => {
    const offset = frame * frames.bins;
    const whole = bandPower(frames.spectra, offset, frames.binHz, 200, 3_400);
    return powerDb(read(frames.spectra, offset) / whole);
  });
  return percentile(ratios, FLOOR_PERCENTILE);
}

/**
 * A bright microphone or a breathy voice raises the floor and the fricatives alike; distortion raises the floor only.
 */
function highContrastDb(frames: SpeechFrames, fromHz: number): number {
  const level = (frame: number) =>
    powerDb(bandPower(frames.spectra, frame * frames.bins, frames.binHz, fromHz, HIGH_BAND_HZ[1]));
  const audible = frames.speechPower * AUDIBLE_SHARE;
  const sounds = Array.from({ length: frames.count }, (_, frame) => frame).filter(
    (frame) => frames.power[frame]! > audible,
  );
  return (
    percentile(sounds.map(level), STRONGEST_PERCENTILE) -
    percentile(frames.voiced.map(level), FLOOR_PERCENTILE)
  );
}

/** How much higher the band of a voice begins. */
function shiftOf({ voiced, pitch }: SpeechFrames): number {
  const hz = percentile(
    voiced.map((frame) => pitch.hz[frame]!),
    0.5,
  );
  return Math.min(MOST_SHIFT, Math.max(1, hz / HIGH_VOICE_HZ));
}

/** As if it were as wide as that of a low voice: distortion is spread evenly. */
function highBand(
  { binHz, noise }: SpeechFrames,
  spectra: Float32Array,
  offset: number,
  fromHz: number,
): number {
  const [lowest, toHz] = HIGH_BAND_HZ;
  const width = (toHz - lowest) / (toHz - fromHz);
  const power = bandPower(spectra, offset, binHz, fromHz, toHz);
  return width * withoutNoise(power, bandPower(noise.spectrum, 0, binHz, fromHz, toHz), NOISE_SHARE);
}

function valleyReader({ binHz, noise }: SpeechFrames, topHz: number, noiseShare: number): BandReader {
  const width = Math.max(1, Math.round(VALLEY_BINS_HZ / binHz));
  const first = Math.ceil(300 / binHz);
  const last = Math.floor(topHz / binHz) - width;
  const densities = new Float32Array(Math.max(1, Math.ceil((last - first) / 2)));
  const noises = Float64Array.from(densities, (_, n) => meanOf(noise.spectrum, first + 2 * n, width));
  return (spectra, offset) => {
    for (let n = 0; n < densities.length; n++)
      densities[n] = withoutNoise(meanOf(spectra, offset + first + 2 * n, width), noises[n]!, noiseShare);
    return percentile(densities, VALLEY_PERCENTILE);
  };
}

function withoutNoise(power: number, noise: number, share: number): number {
  return Math.max(power - share * noise, power * LEAST_LEFT);
}

function meanOf(values: Float32Array, from: number, width: number): number {
  let sum = 0;
  for (let n = from; n < from + width; n++) sum += values[n]!;
  return sum / width;
}
