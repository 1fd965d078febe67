import { RecordingMeasurements } from '@app/domain/reviews/recording-measurements';
import { boundedStretches, type Stretch } from '@app/domain/reviews/recording-places';
import { measureNoise } from './background-noise';
import { measureBandwidth } from './bandwidth';
import { findClicks } from './clicks';
import { measureClipping, measureSaturation } from './clipping';
import { DecodedAudio } from '../codecs/decode-audio';
import { findDropouts } from './dropouts';
import { measureLoudness } from './loudness';
import { measureHum } from './mains-hum';
import { measureUnvoicedPeakiness } from './processing-artifacts';
import { PITCH_RATE } from '../signal/pitch-track';
import { findQuietSpeech } from './quiet-speech';
import { measureRt60 } from './reverberation';
import { measureDistortion } from './signal-distortion';
import { measureSpectralChange } from './spectral-change';
import { cutSpeechFrames, SpeechFrames, toSampleScale } from '../signal/speech-frames';
import { mean, meanSquare, powerDb } from '../signal/statistics';
import { measureTruePeak } from './true-peak';
import { measureVoice } from './voice-statistics';

/** Spectral measurements of a long recording look at this much of it, in evenly spread blocks. */
const EXCERPT_SECS = 120;
const EXCERPT_BLOCKS = 12;
/** Places nearer to each other than this are one to people. */
const PLACE_GAP_SECS = 0.1;

type Recording = Pick<DecodedAudio, 'samples' | 'sampleRate'> &
  Partial<Pick<DecodedAudio, 'balance' | 'lostSecs'>>;

/**
 * Measures everything that the review of a recording rests on, except the score of a model of listeners. Level, peak,
 * clipping, dropouts, clicks and loudness are those of the whole; noise, distortion, bandwidth, hum, reverberation and
 * voice of at most two minutes spread over it.
 */
export async function measureRecording({
  samples,
  sampleRate,
  balance,
  lostSecs = 0,
}: Recording): Promise<RecordingMeasurements> {
  const excerpt = spreadExcerpt(samples, sampleRate);
  const frames = await cutSpeechFrames(excerpt, sampleRate);
  const durationSecs = samples.length / sampleRate;
  const speechRms = Math.sqrt(toSampleScale(frames.speechPower));
  const clipping = measureClipping(samples, sampleRate);
  const dropouts = findDropouts(samples, sampleRate, speechRms);
  const clicks = findClicks(samples, sampleRate, speechRms);
  const hum = measureHum(frames.lowBand, PITCH_RATE);
  return {
    durationSecs,
    lostSecs,
    sampleRateHz: sampleRate,
    ...levels(samples, sampleRate),
    clippedRatio: clipping.ratio,
    saturatedShare: measureSaturation(excerpt, sampleRate),
    dropoutsPer10Secs: dropouts.per10Secs,
    clicksPer10Secs: clicks.per10Secs,
    ...measureNoise(frames),
    ...spectral(excerpt, sampleRate, frames),
    humDb: hum.power > 0 ? powerDb(hum.power / toSampleScale(frames.speechPower)) : null,
    humProminenceDb: hum.prominenceDb,
    rt60Secs: measureRt60(frames),
    spectralChangeDb: measureSpectralChange(frames),
    ...voice(frames, durationSecs),
    weakerChannelDb: balance?.weakerChannelDb ?? null,
    channelSumDb: balance?.channelSumDb ?? null,
    listenerScore: null,
    places: {
      clipped: boundedStretches(clipping.stretches, PLACE_GAP_SECS),
      dropouts: boundedStretches(dropouts.stretches, PLACE_GAP_SECS),
      clicks: boundedStretches(clicks.stretches, PLACE_GAP_SECS),
      tooQuiet: boundedStretches(inRecording(findQuietSpeech(frames), durationSecs), PLACE_GAP_SECS),
      humHz: hum.linesHz,
    },
  };
}

function levels(samples: Float32Array, sampleRate: number) {
  const { integratedLufs, rangeLu } = measureLoudness([samples], sampleRate);
  return {
    loudnessLufs: integratedLufs,
    loudnessRangeLu: rangeLu,
    truePeakDb: 2 * powerDb(measureTruePeak(samples)),
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

function voice(frames: SpeechFrames, durationSecs: number) {
  const { speechRatio, voicedRatio, pitchHz, pitchSpread } = measureVoice(frames);
  return {
    speechSecs: speechRatio * durationSecs,
    speechRatio,
    voicedSecs: voicedRatio * durationSecs,
    pitchHz,
    pitchSpread,
  };
}

/** Stretches of the excerpt, where they are in the whole recording; a block that ends within one ends it. */
function inRecording(stretches: Stretch[], durationSecs: number): Stretch[] {
  if (durationSecs <= EXCERPT_SECS) return stretches;
  const blockSecs = EXCERPT_SECS / EXCERPT_BLOCKS;
  const stepSecs = (durationSecs - blockSecs) / (EXCERPT_BLOCKS - 1);
  return stretches.map(({ fromSecs, toSecs }) => {
    const block = Math.floor(fromSecs / blockSecs);
    const shift = block * (stepSecs - blockSecs);
    return { fromSecs: fromSecs + shift, toSecs: Math.min(toSecs, (block + 1) * blockSecs) + shift };
  });
}

function spreadExcerpt(samples: Float32Array, sampleRate: number): Float32Array {
  const wanted = EXCERPT_SECS * sampleRate;
  if (samples.length <= wanted) return samples;
  const block = wanted / EXCERPT_BLOCKS;
  const step = (samples.length - block) / (EXCERPT_BLOCKS - 1);
  const excerpt = new Float32Array(wanted);
  for (let n = 0; n < EXCERPT_BLOCKS; n++) {
    const from = Math.round(n * step);
    excerpt.set(samples.subarray(from, from + block), n * block);
  }
  return excerpt;
}
