import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@app/config/app-config';
import { cutStretches, STRETCH_SAMPLES } from '../measures/speech-stretches';
import { bytesOf, joined, noise, sine, speechLike, wavFile } from '../../../test/support/audio/signals';
import { RecordingGrader } from './recording-grader';
import {
  noSpeakerOnnxModel,
  onnxModel,
  speakerBandsOnnxModel,
  speakerOnnxModel,
} from '../../../test/support/audio/onnx-model';
import { SpeakerModel } from './speaker-model';

const RATE = 16_000;
const cosineOf = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, n) => sum + x * b[n]!, 0);

describe('stretches', () => {
  /** A second of zeros, one of 1/1000, one of 2/1000 … */
  const counting = (secs: number, rate = RATE) => {
    const samples = new Float32Array(secs * rate);
    for (let sec = 0; sec < secs; sec++) samples.fill(sec / 1_000, sec * rate, (sec + 1) * rate);
    return samples;
  };

  it.each([
    [12, 16_000, [0, 2]],
    [30, 16_000, [0, 10, 20]],
    [100, 48_000, [0, 45, 90]],
  ])('of %d s at %d Hz begin at these seconds', (secs, rate, expected) => {
    const stretches = cutStretches(counting(secs, rate), rate);
    expect(stretches).toHaveLength(expected.length * STRETCH_SAMPLES);
    const beginnings = expected.map((_, n) => Math.round(stretches[n * STRETCH_SAMPLES + 8_000]! * 1_000));
    expect(beginnings).toEqual(expected);
  });

  it('of up to 10 s are all of it, and of less than a second nothing', () => {
    expect(cutStretches(counting(4, 48_000), 48_000)).toHaveLength(4 * RATE);
    expect(cutStretches(counting(10), RATE)).toHaveLength(STRETCH_SAMPLES);
    expect(cutStretches(new Float32Array(15_999), RATE)).toHaveLength(0);
  });
});

describe('a model of speakers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-speakers-'));
  const at = (name: string) => join(folder, name);
  /** Two "speakers", each with two texts. */
  const low = (seed: number) =>
    joined(sine(140, { secs: 2, sampleRate: RATE, amplitude: 0.3 }), noise(1, RATE, 0.002, seed));
  const high = (seed: number) =>
    joined(noise(1, RATE, 0.002, seed), sine(900, { secs: 3, sampleRate: RATE, amplitude: 0.2 }));

  beforeAll(() => {
    writeFileSync(at('sound.onnx'), speakerOnnxModel());
    writeFileSync(at('bands.onnx'), speakerBandsOnnxModel());
    writeFileSync(at('fixed.onnx'), speakerOnnxModel({ samples: 48_000 }));
    writeFileSync(at('bands-40.onnx'), speakerBandsOnnxModel({ bands: 40 }));
    writeFileSync(at('p835.onnx'), onnxModel());
    for (const returned of ['too few', 'zeros', 'the same', 'its input'] as const)
      writeFileSync(at(`${returned}.onnx`), noSpeakerOnnxModel(returned));
    writeFileSync(at('text.onnx'), 'This is a text about a model.');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['sound.onnx', { kind: 'waveform', size: 64 }],
    ['bands.onnx', { kind: 'bands', size: 80 }],
  ])('%s is opened and says what it takes and returns', async (name, form) => {
    const model = await SpeakerModel.open(at(name));
    await model.close();
    expect(model.form).toEqual(form);
    expect(model.modelName).toMatch(new RegExp(`^${name} [0-9a-f]{12}$`));
  });

  it('has a vector of length 1 for a recording, the same direction for one speaker and another for another', async () => {
    const model = await SpeakerModel.open(at('sound.onnx'));
    const embed = async (samples: Float32Array) => (await model.embed(cutStretches(samples, RATE))).vector!;
    const [first, second, other] = [await embed(low(1)), await embed(low(2)), await embed(high(3))];
    const long = await embed(joined(...Array.from({ length: 12 }, () => low(4))));
    await model.close();
    expect(cosineOf(first, first)).toBeCloseTo(1, 5);
    expect(cosineOf(first, second)).toBeGreaterThan(0.99);
    expect(cosineOf(first, long)).toBeGreaterThan(0.99);
    expect(cosineOf(first, other)).toBeLessThan(0.5);
  });

  it.each([
    ['missing.onnx', /cannot be used: ENOENT/],
    ['text.onnx', /it is not an ONNX model/],
    [
      'p835.onnx',
      /its input is float32 \[batch, 144160\] instead of float32 \[1, samples\] or float32 \[1, frames, 80\]/,
    ],
    ['fixed.onnx', /its input is float32 \[batch, 48000\] instead of float32 \[1, samples\]/],
    ['bands-40.onnx', /its input is float32 \[batch, frames, 40\] instead of/],
    ['too few.onnx', /it returned 3 numbers; a vector of a speaker has 32 to 2048/],
    ['zeros.onnx', /the vector has no direction/],
    ['the same.onnx', /it returned the same vector for a low and a high voice/],
    ['its input.onnx', /its output has the size of its input: 16000 numbers for a second, 32000 for two/],
  ])('that is none (%s) is refused, saying why and what is accepted', async (name, problem) => {
    const opened = SpeakerModel.open(at(name));
    await expect(opened).rejects.toThrow(ConfigError);
    await expect(opened).rejects.toThrow(problem);
    await expect(opened).rejects.toThrow(
      /^SPEAKER_MODEL_PATH: ".+" cannot be used: .+; give the path of a model of speakers/,
    );
  });

  it('hears what is graded, and changes no grade', async () => {
    const speech = speechLike(4, RATE, { level: 0.1 });
    const wav = wavFile(bytesOf(Int16Array.from(speech, (sample) => sample * 32_767)));
    const plain = await RecordingGrader.open({ threads: 1 });
    const hearing = await RecordingGrader.open({ threads: 1, speakerModelPath: at('bands.onnx') });
    try {
      const [alone, graded] = [await plain.grade(wav), await hearing.grade(wav)];
      expect(alone.speaker).toBeNull();
      expect(graded.speaker).toMatchObject({ model: expect.stringMatching(/^bands\.onnx /), problem: null });
      expect(graded.speaker!.vector).toHaveLength(80);
      expect({ ...graded, speaker: null }).toEqual(alone);
      expect((await hearing.grade(Buffer.from('no audio'))).speaker).toBeNull();
    } finally {
      await plain.close();
      await hearing.close();
    }
  });

  it('has no vector of silence or of less than a second, and says why', async () => {
    const model = await SpeakerModel.open(at('sound.onnx'));
    const silent = await model.embed(new Float32Array(RATE));
    const short = await model.embed(new Float32Array(0));
    await model.close();
    expect(silent).toMatchObject({ vector: null, problem: 'the vector has no direction' });
    expect(short).toMatchObject({ vector: null, problem: 'the recording is shorter than a second' });
  });
});
