import type { Stretch } from '@app/domain/reviews/recording-places';
import { applyBiquad, highPass } from '../signal/biquad';
import { HOP_SECS, SpeechFrames } from '../signal/speech-frames';
import { meanSquare, percentile } from '../signal/statistics';

const BLOCK_SECS = 0.001;
const BLOCKS_A_FRAME = HOP_SECS / BLOCK_SECS;
/** Where the sound of a key is, and little of a vowel. */
const ABOVE_HZ = 2_000;
/** Its loudest millisecond stands so far above what is before and after it, and this far below the speech at the most. */
const ABOVE_AROUND = 10 ** (12 / 10);
const LEAST_OF_SPEECH = 10 ** (-26 / 10);
/** It is over after so many milliseconds. */
const LONGEST_BLOCKS = 16;
const BEFORE_BLOCKS = 20;
/** The pulses of a creaking voice follow each other sooner than this, and are alike; those of a low voice can come in pairs. */
const CREAK_BLOCKS = 48;
const LOW_VOICE_HZ = 110;
const ABOVE_ANOTHER = 10 ** (8 / 10);
/** A consonant has a voice so near to it: frames before and after. */
const VOICE_BEFORE = 20;
const VOICE_AFTER = 12;
/** Within a vowel, the voice is the same before and after a tap; a plosive closes the mouth first. */
const STEADY_VOICE = 10 ** (5 / 10);
const VOICED_STRENGTH = 0.6;
const FEWEST_SECS = 0.6;
/** Fewer are the speaker's own lips. */
const FEWEST_TAPS = 5;
/** Whispers are full of bursts, and nothing shows where their consonants are. */
const FEWEST_VOICED_FRAMES = 25;

interface Taps {
  per10Secs: number;
  stretches: Stretch[];
}

const NONE: Taps = { per10Secs: 0, stretches: [] };

/**
 * Taps of keys, mouse buttons and table tops: bursts of 2 to 16 ms over what is around them, where no consonant can be: far
 * from any voice, or in the middle of a vowel. How many in 10 s of such places.
 */
export function findTaps(frames: SpeechFrames): Taps {
  const { count, sampleRate, signal } = frames;
  if (frames.voiced.length < FEWEST_VOICED_FRAMES) return NONE;
  const size = Math.round(sampleRate * BLOCK_SECS);
  const high = applyBiquad(signal, highPass(ABOVE_HZ, sampleRate));
  const powers = Float64Array.from({ length: Math.floor(high.length / size) }, (_, block) =>
    meanSquare(high, block * size, (block + 1) * size),
  );
  const places = tapPlaces(frames);
  const eligible = places.reduce((sum, one) => sum + one, 0) * HOP_SECS;
  const pitchHz = percentile(
    frames.voiced.map((frame) => frames.pitch.hz[frame]!),
    0.5,
  );
  const fewestCreaks = pitchHz < LOW_VOICE_HZ ? 1 : 2;
  const least = frames.speechPower * LEAST_OF_SPEECH;
  const stretches: Stretch[] = [];
  for (let block = BEFORE_BLOCKS; block + 2 * BEFORE_BLOCKS < powers.length; block++) {
    if (powers[block]! < least || !isBurst(powers, block, fewestCreaks)) continue;
    const frame = Math.floor(block / BLOCKS_A_FRAME);
    if (frame >= count || !places[frame]) continue;
    stretches.push({ fromSecs: block * BLOCK_SECS, toSecs: (block + 8) * BLOCK_SECS });
    block += LONGEST_BLOCKS;
  }
  if (stretches.length < FEWEST_TAPS) return NONE;
  return { per10Secs: (stretches.length * 10) / Math.max(eligible, FEWEST_SECS), stretches };
}

/** 1 for each frame in which a burst is not a consonant. */
function tapPlaces({ count, pitch, power, speechPower }: SpeechFrames): Uint8Array {
  const voiced = Uint8Array.from({ length: count }, (_, frame) =>
    pitch.strength[frame]! > VOICED_STRENGTH && power[frame]! > speechPower * 1e-3 ? 1 : 0,
  );
  const places = new Uint8Array(count);
  for (let frame = 0; frame < count; frame++) {
    let isFar = true;
    const last = Math.min(count - 1, frame + VOICE_AFTER);
    for (let near = Math.max(0, frame - VOICE_BEFORE); near <= last && isFar; near++) isFar = !voiced[near];
    places[frame] = isFar || isInVowel(voiced, power, frame) ? 1 : 0;
  }
  return places;
}

function isInVowel(voiced: Uint8Array, power: Float32Array, frame: number): boolean {
  const [before, after] = [frame - 4, frame + 4];
  if (!voiced[before] || !voiced[before + 1] || !voiced[after] || !voiced[after - 1]) return false;
  const ratio = power[before]! / power[after]!;
  return ratio < STEADY_VOICE && ratio > 1 / STEADY_VOICE;
}

/** Whether a burst has its loudest block here. */
function isBurst(powers: Float64Array, block: number, fewestCreaks: 1 | 2): boolean {
  const peak = powers[block]!;
  for (let n = block - 3; n <= block + LONGEST_BLOCKS; n++) if (powers[n]! > peak) return false;
  const before = powers.subarray(block - BEFORE_BLOCKS, block - 3);
  const after = powers.subarray(block + LONGEST_BLOCKS, block + LONGEST_BLOCKS + BEFORE_BLOCKS);
  const isSharp = peak > ABOVE_AROUND * Math.max(percentile(before, 0.8), percentile(after, 0.5));
  return isSharp && sidesWithAnother(powers, block, peak / ABOVE_ANOTHER) < fewestCreaks;
}

/** On how many of its two sides there is another burst. */
function sidesWithAnother(powers: Float64Array, block: number, least: number): number {
  const before = powers.subarray(Math.max(0, block - CREAK_BLOCKS), block - 4);
  const after = powers.subarray(block + LONGEST_BLOCKS, block + CREAK_BLOCKS);
  return [before, after].filter((blocks) => blocks.some((power) => power > least)).length;
}
