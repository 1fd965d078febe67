import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@app/config/app-config';
import { PROJECT_ROOT } from '@app/config/project-root';
import { Dnsmos } from './dnsmos';
import { cutWindows, toAcr, WINDOW_SAMPLES } from '../measures/dnsmos-windows';
import { RecordingGrader } from './recording-grader';
import { onnxModel } from './spec-onnx-model';
import { bytesOf, speechLike, wavFile } from '../signal/spec-signals';

const RATE = 16_000;
/** What the model of these tests adds to the largest sample: SIG, BAK and OVRL before they become ACR scores. */
const ANSWERS = [2.5, 3, 2];
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

describe('a model', () => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-dnsmos-'));
  const at = (name: string) => join(folder, name);
  const speech = wav(speechLike(4, RATE, { level: 0.1 }));

  beforeAll(() => {
    writeFileSync(at('model.onnx'), onnxModel({ answers: ANSWERS }));
    writeFileSync(at('one-score.onnx'), onnxModel({ answers: [3] }));
    writeFileSync(at('other-input.onnx'), onnxModel({ samples: 900 }));
    writeFileSync(at('silence-only.onnx'), onnxModel({ onlySilence: true }));
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
      const { sig, bak, ovrl } = toAcr(ANSWERS.map((answer) => answer + peak));
      expect(graded.secondOpinion).toEqual({
        model: expect.stringMatching(/^model\.onnx [0-9a-f]{12}$/),
        sig: expect.closeTo(sig, 3),
        bak: expect.closeTo(bak, 3),
        ovrl: expect.closeTo(ovrl, 3),
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

  it.each([
    ['missing.onnx', /cannot be used: ENOENT/],
    ['text.onnx', /it is not an ONNX model/],
    ['empty.onnx', /it is not an ONNX model/],
    ['one-score.onnx', /its output is float32 \[batch, 1\] instead of float32 \[1, 3\]/],
    ['other-input.onnx', /its input is float32 \[batch, 900\] instead of float32 \[1, 144160\]/],
  ])('that cannot be used (%s) is refused, saying why and what is accepted', async (name, problem) => {
    const opened = Dnsmos.open(at(name));
    await expect(opened).rejects.toThrow(ConfigError);
    await expect(opened).rejects.toThrow(problem);
    await expect(opened).rejects.toThrow(
      /^DNSMOS_MODEL_PATH: ".+" cannot be used: .+; give the path of a DNSMOS P\.835 model/,
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

  describe('on the command line', () => {
    const review = (root: string, path: string) =>
      spawnSync(process.execPath, [join(root, 'dist/src/main.js'), 'review', '--json', at('speech.wav')], {
        env: { PATH: process.env.PATH, DNSMOS_MODEL_PATH: path },
        encoding: 'utf8',
      });

    it('is shown with every measurement', () => {
      const { stdout } = review(PROJECT_ROOT, at('model.onnx'));
      const [{ second_opinion }] = JSON.parse(stdout) as [{ second_opinion: object }];
      expect(second_opinion).toMatchObject({ model: expect.stringMatching(/^model\.onnx /), windows: 7 });
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
        /^greenroom: DNSMOS_MODEL_PATH: .+ package onnxruntime-web is not installed; .+\n$/,
      );
      expect(status).toBe(1);
    });
  });
});
