import { measureRecording } from '../../libs/audio/measures/measure-recording';
import { mixed, noise } from '../support/audio/signals';
import { decideRecording, type Verdict } from '../../libs/domain/reviews/recording-verdict';
import { RECORDING_GRADES } from '../../libs/domain/reviews/review-state';
import { synthesizeWithFlite } from '../../libs/voice-engine/flite-synthesizer';
import { DEGRADATIONS, type Clip } from './degradations';

const TEXT =
  'The harbour was quiet that morning, and the boats lay still while the fog moved slowly over the sea. Nobody on the pier spoke until the bell rang; then the day began.';
/** A smaller impairment is inaudible to most. */
const AUDIBLE = 0.25;
/** What the rules alone cannot hear. */
const NOT_HEARD = ['splices of 62 ms', 'quiet typing, 8 keys a second'];

function speak(voice: 'slt' | 'rms' | 'awb', f0: number): Clip {
  const { samples, sampleRate } = synthesizeWithFlite(TEXT, { voice, f0, f0sd: 20, stretch: 1 });
  return { samples: mixed(samples, noise(samples.length / sampleRate, sampleRate, 1e-5, 3)), sampleRate };
}

const evaluate = async (clip: Clip) => decideRecording(await measureRecording(clip));
const codesOf = ({ reasons }: Verdict) => reasons.map((reason) => reason.split('=')[0]!);
const stepsDown = (from: Verdict, to: Verdict) =>
  RECORDING_GRADES.indexOf(to.grade) - RECORDING_GRADES.indexOf(from.grade);

describe.each([
  ['rms', 150],
  ['awb', 120],
] as const)('speech of %s', (voice, f0) => {
  const clip = speak(voice, f0);
  const other = speak('slt', 200);
  let clean: Verdict;
  beforeAll(async () => {
    clean = await evaluate(clip);
  });

  const costly = DEGRADATIONS.filter(({ name, costsAGrade }) => costsAGrade && !NOT_HEARD.includes(name));
  it.each(costly)('$name costs a grade', async ({ apply, costsAGrade }) => {
    const verdict = await evaluate(await apply(clip, other));
    expect(stepsDown(clean, verdict)).toBeGreaterThanOrEqual(1);
    expect(codesOf(verdict).filter((code) => costsAGrade!.some((one) => one === code))).not.toEqual([]);
  });

  const kind = DEGRADATIONS.filter(({ harmless }) => harmless);
  it.each(kind)('$name does no harm that it has not', async ({ apply, harmless }) => {
    const { except = [], never = [], within = Infinity } = harmless!;
    const verdict = await evaluate(await apply(clip, other));
    const excepted = codesOf(verdict).some((code) => except.some((one) => one === code));
    expect(excepted ? 0 : stepsDown(clean, verdict)).toBeLessThanOrEqual(0);
    expect(excepted ? 0 : Math.abs(verdict.score - clean.score)).toBeLessThanOrEqual(within);
    const known: readonly string[] = [...except, ...codesOf(clean)];
    const audible = Object.entries(verdict.impairments).filter(([, size]) => size >= AUDIBLE);
    expect(audible.map(([code]) => code).filter((code) => !known.includes(code))).toEqual([]);
    expect(codesOf(verdict).filter((code) => never.some((one) => one === code))).toEqual([]);
  });
});
