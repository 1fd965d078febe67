import { RecordingMeasurements } from '@app/domain/reviews/recording-measurements';
import { boundedStretches, type Stretch } from '@app/domain/reviews/recording-places';
import { measureNoise } from './background-noise';
import { measureBandwidth } from './bandwidth';
import { findClicks } from './clicks';
import { measureClipping, measureSaturation } from './clipping';
import { DecodedAudio } from '../codecs/decode-audio';
import { findDropouts } from './dropouts';
import { findEcho } from './echo';
import { findExtremes, type Extremes } from '../signal/extremes';
import { measureLoudness } from './loudness';
import { measureHum } from './mains-hum';
import { measureUnvoicedPeakiness } from './processing-artifacts';
import { PITCH_RATE } from '../signal/pitch-track';
import { findQuietSpeech } from './quiet-speech';
import { measureRt60 } from './reverberation';
import { measureSecondVoice } from './second-voice';
import { measureDistortion } from './signal-distortion';
import { measureSpectralChange } from './spectral-change';
import { cutSpeechFrames, HOP_SECS, SpeechFrames, toSampleScale } from '../signal/speech-frames';
import { mean, meanSquare, powerDb } from '../signal/statistics';
import { findTaps } from './taps';
import { measureTruePeak } from './true-peak';
import { measureVoice } from './voice-statistics';

/** Spectral measurements of a long recording look at this much of it, in evenly spread blocks. */
const EXCERPT_SECS = 120;
const EXCERPT_BLOCKS = 12;
const BLOCK_SECS = EXCERPT_SECS / EXCERPT_BLOCKS;
/** With less voiced sound than this in them, they have missed the speech, or there is none: the loudest blocks decide. */
const FEWEST_VOICED_SECS = 1;
/** Places nearer to each other than this are one to people. */
const PLACE_GAP_SECS = 0.1;

type Recording = Pick<DecodedAudio, 'samples' | 'sampleRate'> &
  Partial<Pick<DecodedAudio, 'balance' | 'lostSecs'>>;

/**
 * Measures everything that the review of a recording rests on, except the score of a model of listeners. Level, peak,
 * clipping, dropouts, clicks and loudness are those of the whole; noise, distortion, bandwidth, hum, reverberation and
 * voice of at most two minutes spread over it, or of its loudest two minutes where those have no voice.
 */
export async function measureRecording({
  samples,
  sampleRate,
  balance,
  lostSecs = 0,
}: Recording): Promise<RecordingMeasurements> {
  const { excerpt, frames, blocks, heardShare } = await examine(samples, sampleRate);
  const durationSecs = samples.length / sampleRate;
  const speechRms = Math.sqrt(toSampleScale(frames.speechPower));
  const extremes = findExtremes(samples, sampleRate);
  const clipping = measureClipping(samples, sampleRate, extremes);
  const dropouts = findDropouts(samples, sampleRate, speechRms);
  const clicks = findClicks(samples, sampleRate, speechRms);
  const taps = findTaps(frames);
  const echo = findEcho(frames);
  const hum = measureHum(frames.lowBand, PITCH_RATE);
  return {
    durationSecs,
    lostSecs,
    sampleRateHz: sampleRate,
    ...levels(samples, sampleRate, extremes),
    clippedRatio: clipping.ratio,
    saturatedShare: measureSaturation(
      excerpt,
      excerpt === samples ? extremes : findExtremes(excerpt, sampleRate),
    ),
    dropoutsPer10Secs: dropouts.per10Secs,
    clicksPer10Secs: clicks.per10Secs,
    tapsPer10Secs: taps.per10Secs,
    ...measureNoise(frames),
    ...spectral(excerpt, sampleRate, frames),
    humDb: hum.power > 0 ? powerDb(hum.power / toSampleScale(frames.speechPower)) : null,
    humProminenceDb: hum.prominenceDb,
    rt60Secs: measureRt60(frames),
    echoDb: echo?.levelDb ?? null,
    echoSecs: echo?.delaySecs ?? null,
    secondVoiceShare: measureSecondVoice(frames),
    spectralChangeDb: measureSpectralChange(frames),
    ...voice(frames, heardShare, durationSecs),
    weakerChannelDb: balance?.weakerChannelDb ?? null,
    channelSumDb: balance?.channelSumDb ?? null,
    listenerScore: null,
    places: {
      clipped: boundedStretches(clipping.stretches, PLACE_GAP_SECS),
      dropouts: boundedStretches(dropouts.stretches, PLACE_GAP_SECS),
      clicks: boundedStretches([...clicks.stretches, ...inRecording(taps.stretches, blocks)], PLACE_GAP_SECS),
      tooQuiet: boundedStretches(inRecording(findQuietSpeech(frames), blocks), PLACE_GAP_SECS),
      humHz: hum.linesHz,
    },
  };
}

function levels(samples: Float32Array, sampleRate: number, extremes: Extremes) {
  const { integratedLufs, rangeLu } = measureLoudness([samples], sampleRate);
  return {
    loudnessLufs: integratedLufs,
    loudnessRangeLu: rangeLu,
    truePeakDb: 2 * powerDb(measureTruePeak(samples, extremes)),
    rmsDb: powerDb(meanSquare(samples)),
    dcOffset: samples.length === 0 ? 0 : Math.abs(mean(samples)),
  };
}

function spectral(excerpt: Float32Array, sampleRate: number, frames: SpeechFrames) {
  const { edgeHz, dropDb } = measureBandwidth(excerpt, sampleRate);
  return {
    bandwidthHz: edgeHz,
    edgeDropDb: dropDb,
    ...measureDistortion(frames, edgeHz),
    unvoicedPeakinessDb: measureUnvoicedPeakiness(frames),
  };
}

function voice(frames: SpeechFrames, heardShare: number, durationSecs: number) {
  const { speechRatio, voicedRatio, pitchHz, pitchSpread } = measureVoice(frames);
  return {
    speechSecs: speechRatio * heardShare * durationSecs,
    speechRatio: speechRatio * heardShare,
    voicedSecs: voicedRatio * heardShare * durationSecs,
    pitchHz,
    pitchSpread,
  };
}

/** The part of a recording that its spectral measurements look at. */
interface Examined {
  excerpt: Float32Array;
  frames: SpeechFrames;
  /** Where its blocks begin in the recording, s. */
  blocks: number[];
  /** The share of the recording that it stands for: all of it, or where its blocks are the loudest, only themselves. */
  heardShare: number;
}

async function examine(samples: Float32Array, sampleRate: number): Promise<Examined> {
  const durationSecs = samples.length / sampleRate;
  if (durationSecs <= EXCERPT_SECS) {
    const frames = await cutSpeechFrames(samples, sampleRate);
    return { excerpt: samples, frames, blocks: [0], heardShare: 1 };
  }
  const spread = await examineBlocks(samples, sampleRate, spreadBlocks(durationSecs, EXCERPT_BLOCKS));
  if (spread.frames.voiced.length * HOP_SECS >= FEWEST_VOICED_SECS) return { ...spread, heardShare: 1 };
  const loudest = await examineBlocks(samples, sampleRate, loudestBlocks(samples, sampleRate));
  return { ...loudest, heardShare: EXCERPT_SECS / durationSecs };
}

async function examineBlocks(samples: Float32Array, sampleRate: number, blocks: number[]) {
  const length = BLOCK_SECS * sampleRate;
  const excerpt = new Float32Array(blocks.length * length);
  blocks.forEach((fromSecs, n) => {
    const from = Math.round(fromSecs * sampleRate);
    excerpt.set(samples.subarray(from, from + length), n * length);
  });
  return { excerpt, frames: await cutSpeechFrames(excerpt, sampleRate), blocks };
}

/** Where so many blocks begin that are spread evenly from the beginning to the end, s. */
function spreadBlocks(durationSecs: number, count: number): number[] {
  const step = (durationSecs - BLOCK_SECS) / (count - 1);
  return Array.from({ length: count }, (_, n) => n * step);
}

/** Where the loudest of the blocks begin that cover the whole recording, s. */
function loudestBlocks(samples: Float32Array, sampleRate: number): number[] {
  const durationSecs = samples.length / sampleRate;
  const power = (fromSecs: number) =>
    meanSquare(samples, Math.round(fromSecs * sampleRate), Math.round((fromSecs + BLOCK_SECS) * sampleRate));
  return spreadBlocks(durationSecs, Math.ceil(durationSecs / BLOCK_SECS))
    .map((fromSecs) => ({ fromSecs, power: power(fromSecs) }))
    .toSorted((a, b) => b.power - a.power)
    .slice(0, EXCERPT_BLOCKS)
    .map(({ fromSecs }) => fromSecs)
    .toSorted((a, b) => a - b);
}

/** Stretches of the excerpt, where they are in the whole recording; a block that ends within one ends it. */
function inRecording(stretches: Stretch[], blocks: number[]): Stretch[] {
  if (blocks.length === 1) return stretches;
  return stretches.map(({ fromSecs, toSecs }) => {
    const block = Math.floor(fromSecs / BLOCK_SECS);
    const shift = blocks[block]! - block * BLOCK_SECS;
    return { fromSecs: fromSecs + shift, toSecs: Math.min(toSecs, (block + 1) * BLOCK_SECS) + shift };
  });
}
