import { RecordingMeasurements } from '@app/domain/reviews/recording-measurements';
import { LOWEST_HZ, type SpeechFrames, TENTH_OF_MEAN, toSampleScale } from '../signal/speech-frames';
import { mean, percentile, powerDb, select } from '../signal/statistics';

/** 0.8 s, every 0.2 s: as short as a level of noise can be read in. */
const STRETCH_FRAMES = 80;
const STRETCH_STEP = 20;
const FEWEST_ACTIVE_FRAMES = 50;
/** Every third bin says as much as all of them. */
const BIN_STEP = 3;
/**
 * Lower quartile over lowest twentieth of the levels of one bin, dB. The power of steady noise is exponentially
 * distributed: 7.5 in theory, 6 to 7 in the overlapping frames of noise; 8 to 14 where speech is what is quietest.
 */
const STEADY_DB = 7.5;
const STEADY_BIN_DB = 8;
/** What a stretch of unbroken speech reads too high: less than this above the pauses is the same noise. */
const LOUDER = 10 ** (4 / 10);
/** Speech without pauses reads no noisier than this itself, and whispers no noisier than that. */
const SPEECH_ITSELF_DB = 20;
const WHISPER_ITSELF_DB = 10;
const FEWEST_VOICED_FRAMES = 25;
/** 1.3 s may be one long sound, which has no quiet moments at all. */
const SHORT_FRAMES = 130;
/** The share of voice above which a stretch is one long sound. */
const MOST_VOICED = 0.75;

type Noise = Pick<RecordingMeasurements, 'noiseFloorDb' | 'rumbleDb' | 'snrDb' | 'noiseMethod'>;

/**
 * Noise behind the speech. It is read in the pauses; where stretches of the recording have louder noise, that counts as
 * its mean over time. Without pauses, the quietest moments are noise only if they are as steady as noise is: otherwise
 * they are the speech itself, and the noise is unknown.
 */
export function measureNoise(frames: SpeechFrames): Noise {
  const { noise, speechPower } = frames;
  const overTime = noiseOverTime(frames);
  const louder = overTime > noise.power * LOUDER;
  const power = louder ? overTime : noise.power;
  if (power <= 0) return { noiseFloorDb: null, rumbleDb: null, snrDb: null, noiseMethod: noise.method };
  const snrDb = speechPower <= 0 ? null : powerDb(speechPower / power);
  const floors = {
    noiseFloorDb: powerDb(toSampleScale(power)),
    rumbleDb: powerDb(toSampleScale(Math.max(power, noise.fullPower))),
  };
  if (louder) return { ...floors, snrDb, noiseMethod: 'over_time' };
  return isSpeechItself(frames, snrDb)
    ? { noiseFloorDb: null, rumbleDb: null, snrDb: null, noiseMethod: 'unknown' }
    : { ...floors, snrDb, noiseMethod: noise.method };
}

function isSpeechItself(frames: SpeechFrames, snrDb: number | null): boolean {
  if (frames.noise.method === 'pauses' || snrDb === null) return false;
  if (frames.voiced.length < FEWEST_VOICED_FRAMES) return snrDb > WHISPER_ITSELF_DB;
  if (isAllVoice(frames, 0, frames.count)) return true;
  const all = Array.from({ length: frames.count }, (_, frame) => frame);
  const quietEnough = snrDb > SPEECH_ITSELF_DB || frames.count < SHORT_FRAMES;
  return quietEnough && steadyPower(frames, all) === null;
}

/**
 * Mean over time of the noise in each stretch; that of the pauses where a stretch has none. Two stretches in a
 * row must have it: a single one may be a long hiss of the voice.
 */
function noiseOverTime(frames: SpeechFrames): number {
  const { count, noise } = frames;
  const powers: number[] = [];
  for (let from = 0; from === 0 || from + STRETCH_FRAMES / 2 <= count; from += STRETCH_STEP) {
    powers.push(noiseOfStretch(frames, from, Math.min(count, from + STRETCH_FRAMES)) ?? noise.power);
  }
  const shared = powers.map((power, n) => Math.min(power, Math.max(powers[n - 1] ?? 0, powers[n + 1] ?? 0)));
  return mean(shared);
}

/**
 * Where nearly all is voice, as in a held note, there are no quiet moments to read: what stays still there are its
 * harmonics.
 */
function isAllVoice({ voiced }: SpeechFrames, from: number, to: number): boolean {
  let count = 0;
  for (const frame of voiced) if (frame >= from && frame < to) count++;
  return count > (to - from) * MOST_VOICED;
}

/** The louder of the noise in all of a stretch and in its speech alone, which a noise gate lets through. */
function noiseOfStretch(frames: SpeechFrames, from: number, to: number): number | null {
  if (isAllVoice(frames, from, to)) return null;
  const all = Array.from({ length: to - from }, (_, n) => from + n);
  const active = all.filter((frame) => frames.active[frame]);
  const isPartlyActive = active.length >= FEWEST_ACTIVE_FRAMES && active.length < all.length;
  const readings = [all, ...(isPartlyActive ? [active] : [])]
    .map((list) => steadyPower(frames, list))
    .filter((power) => power !== null);
  return readings.length === 0 ? null : Math.max(...readings);
}

/**
 * Power of the quietest moments of each bin; null when they are not as steady as noise is. A bin that speech never leaves says
 * nothing of the noise: there it is taken to be no louder than in the others.
 */
function steadyPower({ spectra, bins, binHz }: SpeechFrames, list: number[]): number | null {
  if (list.length === 0) return 0;
  const readings: { power: number; spreadDb: number }[] = [];
  const levels = new Float64Array(list.length);
  const rankOf = (share: number) => Math.floor(share * list.length);
  const first = Math.ceil(LOWEST_HZ / binHz);
  const half = Math.ceil((bins - 1 - first) / BIN_STEP) / 2;
  let unsteady = 0;
  for (let bin = first; bin < bins - 1; bin += BIN_STEP) {
    for (let n = 0; n < list.length; n++) levels[n] = spectra[list[n]! * bins + bin]!;
    const quarter = select(levels, rankOf(0.25));
    // What is smaller lies before it.
    const tenth = select(levels, rankOf(0.1), rankOf(0.25) + 1);
    const twentieth = select(levels, rankOf(0.05), rankOf(0.1) + 1);
    const spreadDb = powerDb(quarter) - powerDb(twentieth);
    readings.push({ power: (tenth / TENTH_OF_MEAN) * BIN_STEP, spreadDb });
    // So is the median of all then.
    if (spreadDb > STEADY_DB && ++unsteady > half) return null;
  }
  const steadinessDb = percentile(
    readings.map(({ spreadDb }) => spreadDb),
    0.5,
  );
  if (steadinessDb > STEADY_DB) return null;
  const steady = readings.filter(({ spreadDb }) => spreadDb < STEADY_BIN_DB).map(({ power }) => power);
  const usual = steady.length === 0 ? 0 : percentile(steady, 0.5);
  return readings.reduce(
    (sum, reading) =>
      sum + (reading.spreadDb < STEADY_BIN_DB ? reading.power : Math.min(reading.power, usual)),
    0,
  );
}
