import { measureRecording } from './measure-recording';
import { audiblePart } from './silence';

const RATE = 8_000;

describe('what is measured of a recording', () => {
  it('is the beginning of one in which nothing can be heard, and the verdict rests on the same', async () => {
    const silent = new Float32Array(60 * RATE);
    const part = audiblePart(silent, RATE);
    expect(part.length / RATE).toBe(10);
    expect(
      audiblePart(
        silent.map(() => 3e-5),
        RATE,
      ),
    ).toHaveLength(part.length);
    const [whole, beginning] = [silent, part].map((samples) =>
      measureRecording({ samples, sampleRate: RATE }),
    );
    const { durationSecs: _, ...measured } = await whole!;
    expect(await beginning!).toMatchObject(measured);
  });

  it('is all of one with a sound, wherever it is', () => {
    const samples = new Float32Array(60 * RATE);
    samples[samples.length - 1] = 0.01;
    expect(audiblePart(samples, RATE)).toBe(samples);
  });
});
