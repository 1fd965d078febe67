import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@app/config/app-config';
import { PROJECT_ROOT } from '@app/config/project-root';
import { CURRENT_RULESET, LISTENER_RULESET, type RulesetId } from '@app/domain/reviews/recording-rulesets';
import { decideRecording } from '@app/domain/reviews/recording-verdict';
import { Dnsmos } from './dnsmos';
import { cutWindows, toAcr, toMos, WINDOW_SAMPLES } from '../measures/dnsmos-windows';
import { p808Spectrogram } from '../measures/p808-spectrogram';
import { RecordingGrader } from './recording-grader';
import { onnxModel, p808OnnxModel } from '../../../test/support/audio/onnx-model';
import { bytesOf, speechLike, wavFile } from '../../../test/support/audio/signals';

const RATE = 16_000;
/** What the model of these tests adds to the largest sample: SIG, BAK and OVRL before they become ACR scores. */
const OUTPUTS = [2.5, 3, 2];
/** The same for that of P.808, which adds to the smallest number of the spectrogram. */
const P808_OUTPUT = 3.5;
const wav = (samples: Float32Array) =>
  wavFile(bytesOf(Int16Array.from(samples, (sample) => sample * 32_767)));

describe('windows', () => {
  /** A second of zeros, one of 1/1000, one of 2/1000 … */
  const counting = (secs: number, rate = RATE) => {
    const samples = new Float32Array(secs * rate);
    for (let sec = 0; sec < secs; sec++) samples.fill(sec / 1_000, sec * rate, (sec + 1) * rate);
    return samples;
  };
  const beginnings = (windows: Float32Array) =>
    Array.from({ length: windows.length / WINDOW_SAMPLES }, (_, n) =>
      Math.round(windows[n * WINDOW_SAMPLES + 100]! * 1_000),
    );

  it.each([
    [10, [0]],
    [13, [0, 1, 2, 3]],
    [20, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    [600, [0, 54, 107, 161, 215, 268, 322, 375, 429, 483, 536, 590]],
  ])('of %d s begin at these seconds', (secs, expected) => {
    expect(beginnings(cutWindows(counting(secs), RATE))).toEqual(expected);
  });

  it('of a short recording repeat it', () => {
    const short = cutWindows(counting(4), RATE);
    expect([1, 3, 5, 7].map((sec) => Math.round(short[(sec + 0.5) * RATE]! * 1_000))).toEqual([1, 3, 1, 3]);
  });

  it('are at 16 kHz, whatever the recording is', () => {
    const windows = cutWindows(counting(11, 44_100), 44_100);
    expect(windows).toHaveLength(2 * WINDOW_SAMPLES);
    expect(beginnings(windows)).toEqual([0, 1]);
    expect(windows[5.5 * RATE]).toBeCloseTo(0.005, 4);
  });
});

it('raw outputs become ACR scores as in the published evaluation', () => {
  // numpy.poly1d of the published coefficients at 3, 4 and 2.
  expect(toAcr([3, 4, 2])).toEqual({
    sig: expect.closeTo(2.91200747, 6),
    bak: expect.closeTo(3.93387302, 6),
    ovrl: expect.closeTo(2.00630339, 6),
  });
});

it.each([
  [3, 2.926],
  [4, 4.593],
  [1, 1],
  [5, 5],
])('the raw output %d of a P.808 model is a mean opinion score of %d', (raw, score) => {
  expect(toMos(raw)).toBeCloseTo(score, 6);
});

describe('a model', () => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-dnsmos-'));
  const at = (name: string) => join(folder, name);
  const speech = wav(speechLike(4, RATE, { level: 0.1 }));
  const listenerScore = () => {
    const samples = speechLike(4, RATE, { level: 0.1 }).map((sample) => Math.trunc(sample * 32_767) / 32_768);
    const windows = cutWindows(samples, RATE);
    const scores = Array.from({ length: windows.length / WINDOW_SAMPLES }, (_, n) => {
      const window = windows.subarray(n * WINDOW_SAMPLES, n * WINDOW_SAMPLES + 144_000);
      return toMos(p808Spectrogram(window).reduce((a, b) => Math.min(a, b)) + P808_OUTPUT);
    });
    return scores.reduce((sum, score) => sum + score) / scores.length;
  };

  beforeAll(() => {
    writeFileSync(at('model.onnx'), onnxModel({ outputs: OUTPUTS }));
    writeFileSync(at('one-score.onnx'), onnxModel({ outputs: [3] }));
    writeFileSync(at('other-input.onnx'), onnxModel({ samples: 900 }));
    writeFileSync(at('silence-only.onnx'), onnxModel({ onlySilence: true }));
    writeFileSync(at('p808.onnx'), p808OnnxModel({ outputs: [P808_OUTPUT] }));
    writeFileSync(at('p808-two-scores.onnx'), p808OnnxModel({ outputs: [3, 3] }));
    writeFileSync(at('p808-other-input.onnx'), p808OnnxModel({ shape: [901, 120] }));
    writeFileSync(at('p808-silence-only.onnx'), p808OnnxModel({ onlySilence: true }));
    writeFileSync(at('text.onnx'), 'This is a text about a model.');
    writeFileSync(at('empty.onnx'), '');
    writeFileSync(at('speech.wav'), speech);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has its say on what was recorded, beside the same verdict', async () => {
    const alone = await RecordingGrader.open({ threads: 1 });
    const advised = await RecordingGrader.open({ threads: 1, dnsmosModelPath: at('model.onnx') });
    try {
      const [plain, graded] = [await alone.grade(speech), await advised.grade(speech)];
      const peak = speechLike(4, RATE, { level: 0.1 }).reduce((a, b) => Math.max(a, b));
      const { sig, bak, ovrl } = toAcr(OUTPUTS.map((answer) => answer + peak));
      expect(graded.secondOpinion).toEqual({
        model: expect.stringMatching(/^model\.onnx [0-9a-f]{12}$/),
        sig: expect.closeTo(sig, 3),
        bak: expect.closeTo(bak, 3),
        ovrl: expect.closeTo(ovrl, 3),
        p808: null,
        windows: 7,
        problem: null,
      });
      expect(plain.secondOpinion).toBeNull();
      expect(graded.verdict).toEqual(plain.verdict);
      expect(graded.measured).toEqual(plain.measured);
      expect((await advised.grade(Buffer.from('no audio'))).secondOpinion).toBeNull();
    } finally {
      await alone.close();
      await advised.close();
    }
  });

  it('of P.808 is told apart by its input, and its score is a measurement that the rules go by', async () => {
    const grader = await RecordingGrader.open({ threads: 1, dnsmosModelPath: at('p808.onnx') });
    const { secondOpinion, measured, verdict } = await grader.grade(speech);
    await grader.close();
    const score = listenerScore();
    expect(secondOpinion).toEqual({
      model: expect.stringMatching(/^p808\.onnx [0-9a-f]{12}$/),
      sig: null,
      bak: null,
      ovrl: null,
      p808: expect.closeTo(score, 3),
      windows: 7,
      problem: null,
    });
    expect(measured!.measurements.listenerScore).toBe(secondOpinion!.p808);
    expect(verdict).toEqual(decideRecording(measured!.measurements, LISTENER_RULESET));
    const withoutScore = { ...measured!.measurements, listenerScore: null };
    expect(verdict.score).not.toBe(decideRecording(withoutScore, LISTENER_RULESET).score);
  });

  it.each<[string | undefined, RulesetId | undefined, RulesetId]>([
    [undefined, undefined, CURRENT_RULESET],
    ['model.onnx', undefined, CURRENT_RULESET],
    ['p808.onnx', undefined, LISTENER_RULESET],
    ['p808.onnx', LISTENER_RULESET, LISTENER_RULESET],
    ['p808.onnx', 'greenroom-2026-11-strict-4', 'greenroom-2026-11-strict-4'],
    ['model.onnx', 'greenroom-2026-11-telephone-4', 'greenroom-2026-11-telephone-4'],
  ])('%s with the ruleset %s is graded by %s', async (name, ruleset, expected) => {
    const dnsmosModelPath = name === undefined ? undefined : at(name);
    const grader = await RecordingGrader.open({ threads: 1, dnsmosModelPath, ruleset });
    const { verdict, measured } = await grader.grade(speech);
    const { verdict: undecodable } = await grader.grade(Buffer.from('no audio'));
    await grader.close();
    expect([verdict.ruleset, undecodable.ruleset]).toEqual([expected, expected]);
    expect(measured!.measurements.listenerScore !== null).toBe(name === 'p808.onnx');
    expect(verdict).toEqual(decideRecording(measured!.measurements, expected));
  });

  it.each([undefined, 'model.onnx'])('%s is not enough for rules that need a P.808 model', async (name) => {
    const dnsmosModelPath = name === undefined ? undefined : at(name);
    const opened = RecordingGrader.open({ threads: 1, dnsmosModelPath, ruleset: LISTENER_RULESET });
    await expect(opened).rejects.toThrow(ConfigError);
    await expect(opened).rejects.toThrow(
      /^REVIEW_RULESET: ".+-p808" needs a model of listeners; give the path of a DNSMOS P\.808 model \(model_v8\.onnx\) in DNSMOS_MODEL_PATH, or choose other rules\.$/,
    );
  });

  it.each([
    ['missing.onnx', /cannot be used: ENOENT/],
    ['text.onnx', /it is not an ONNX model/],
    ['empty.onnx', /it is not an ONNX model/],
    ['one-score.onnx', /its output is float32 \[batch, 1\] instead of float32 \[1, 3\]/],
    [
      'other-input.onnx',
      /its input is float32 \[batch, 900\] instead of float32 \[1, 144160\] or float32 \[1, 900, 120\]/,
    ],
    [
      'p808-other-input.onnx',
      /its input is float32 \[batch, 901, 120\] instead of float32 \[1, 144160\] or float32 \[1, 900, 120\]/,
    ],
    ['p808-two-scores.onnx', /its output is float32 \[batch, 2\] instead of float32 \[1, 1\]/],
  ])('that cannot be used (%s) is refused, saying why and what is accepted', async (name, problem) => {
    const opened = Dnsmos.open(at(name));
    await expect(opened).rejects.toThrow(ConfigError);
    await expect(opened).rejects.toThrow(problem);
    await expect(opened).rejects.toThrow(
      /^DNSMOS_MODEL_PATH: ".+" cannot be used: .+; give the path of a DNSMOS model \(P\.808: model_v8\.onnx, P\.835: sig_bak_ovr\.onnx\)/,
    );
  });

  it('that fails on a recording is noted, and keeps it from no verdict', async () => {
    const grader = await RecordingGrader.open({ threads: 1, dnsmosModelPath: at('silence-only.onnx') });
    const { verdict, secondOpinion } = await grader.grade(speech);
    await grader.close();
    expect(secondOpinion).toMatchObject({
      ovrl: null,
      problem: 'it returned NaN, NaN, NaN instead of 3 numbers',
    });
    expect(verdict.score).toBeGreaterThan(1);
  });

  it('of P.808 that fails on a recording leaves the verdict to the rules', async () => {
    const grader = await RecordingGrader.open({
      threads: 1,
      dnsmosModelPath: at('p808-silence-only.onnx'),
    });
    const { verdict, secondOpinion, measured } = await grader.grade(speech);
    await grader.close();
    expect(secondOpinion).toMatchObject({ p808: null, problem: 'it returned NaN instead of a number' });
    expect(measured!.measurements.listenerScore).toBeNull();
    const { score, impairments, reasons } = decideRecording(measured!.measurements);
    expect(verdict).toMatchObject({ ruleset: LISTENER_RULESET, score, impairments, reasons });
  });

  describe('on the command line', () => {
    const review = (root: string, path: string, ...options: string[]) =>
      spawnSync(process.execPath, [join(root, 'dist/src/main.js'), 'review', ...options, at('speech.wav')], {
        env: { PATH: process.env.PATH, DNSMOS_MODEL_PATH: path },
        encoding: 'utf8',
      });

    it('is shown with every measurement', () => {
      const { stdout } = review(PROJECT_ROOT, at('model.onnx'), '--json');
      const [{ second_opinion }] = JSON.parse(stdout) as [{ second_opinion: object }];
      expect(second_opinion).toMatchObject({ model: expect.stringMatching(/^model\.onnx /), windows: 7 });
    });

    it('of P.808 is part of the grade, and its score is beside it', () => {
      const { stdout } = review(PROJECT_ROOT, at('p808.onnx'));
      expect(stdout).toMatch(/^GRADE +SCORE +LISTENERS +LENGTH +FILE +REASON\n/);
      expect(stdout).toMatch(
        new RegExp(`^[a-z]+ +\\d\\.\\d\\d +${listenerScore().toFixed(2)} +4\\.0 s`, 'm'),
      );
      const json = JSON.parse(review(PROJECT_ROOT, at('p808.onnx'), '--json').stdout) as object[];
      expect(json).toMatchObject([{ ruleset: LISTENER_RULESET, second_opinion: { sig: null } }]);
    });

    it('that the chosen rules need, and that is not given, ends it with one line', () => {
      const { status, stderr } = review(PROJECT_ROOT, at('model.onnx'), '--ruleset', LISTENER_RULESET);
      expect(stderr).toMatch(/^greenroom: REVIEW_RULESET: ".+" needs a model of listeners; .+\n$/);
      expect(status).toBe(1);
    });

    it('ends it with one line when the runtime is not installed', () => {
      const root = at('without-runtime');
      mkdirSync(join(root, 'node_modules'), { recursive: true });
      for (const name of ['dist', 'package.json'])
        cpSync(join(PROJECT_ROOT, name), join(root, name), { recursive: true });
      for (const name of readdirSync(join(PROJECT_ROOT, 'node_modules')))
        if (name !== 'onnxruntime-web')
          symlinkSync(join(PROJECT_ROOT, 'node_modules', name), join(root, 'node_modules', name));
      const { status, stderr } = review(root, at('model.onnx'));
      expect(stderr).toMatch(
        /^greenroom: DNSMOS_MODEL_PATH: .+ onnxruntime-web, which runs models, is not installed \(npm install --global onnxruntime-web@[\d.]+\); .+\n$/,
      );
      expect(status).toBe(1);
    });
  });
});
