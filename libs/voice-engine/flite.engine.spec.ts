import { decodeAudio } from '@app/audio/codecs/decode-audio';
import { OutputFormat } from '@app/audio/codecs/output-format';
import { FliteEngine } from './flite.engine';
import { DesignRequest } from './voice-engine';
import { VoiceEngineError } from './voice-engine.error';

const REQUEST: DesignRequest = {
  accountId: 'one',
  description: 'A calm young woman with a clear voice',
  text: 'Good morning, and thank you for calling.',
  loudness: 0.5,
  seed: 42,
  guidanceScale: 5,
  quality: null,
  outputFormat: 'pcm_16000',
  storedFormat: 'mp3_22050_32',
};

describe('FliteEngine', () => {
  const engine = new FliteEngine({ threads: 2, maxWaitSecs: 1 });
  const bytesFor = async (change: Partial<DesignRequest> = {}) =>
    (await engine.design({ ...REQUEST, ...change })).map(({ response }) =>
      Buffer.from(response.bytes).toString('base64'),
    );

  beforeAll(() => engine.check());
  afterAll(() => engine.close());

  it('gives three previews in both formats, with everything that is stored', async () => {
    const previews = await engine.design(REQUEST);
    expect(previews).toHaveLength(3);
    for (const { spec, understood, language, response, stored } of previews) {
      expect(spec).toMatchObject({ engine: 'flite', voice: 'slt', lufs: -20 });
      expect(understood.traits).toMatchObject({ gender: 'female', age: 'young' });
      expect(language).toBe('en-US');
      expect(response.mediaType).toBe('audio/pcm;rate=16000');
      expect(response.durationSecs).toBeCloseTo(response.bytes.length / 32_000, 2);
      expect(stored.mediaType).toBe('audio/mpeg');
      expect(stored.durationSecs).toBeCloseTo(response.durationSecs, 2);
    }
  });

  it('gives identical bytes for one seed and others for another', async () => {
    const [once, again, other] = [await bytesFor(), await bytesFor(), await bytesFor({ seed: 43 })];
    expect(again).toEqual(once);
    expect(new Set([...once, ...other]).size).toBe(6);
  });

  it('plans the voices that it will speak with', async () => {
    const planned = engine.plan(REQUEST).map(({ spec }) => spec);
    expect((await engine.design(REQUEST)).map(({ spec }) => spec)).toEqual(planned);
  });

  it('changes a voice as far as requested', () => {
    const [{ spec } = { spec: {} }] = engine.plan(REQUEST);
    const pitchOf = (changeStrength: number | null) => {
      const base = { spec, description: REQUEST.description };
      const [plan] = engine.plan({ ...REQUEST, description: 'deeper', base, changeStrength, seed: 1 });
      return plan!.spec.f0;
    };
    expect(pitchOf(1)).toBeLessThan(pitchOf(null));
    expect(pitchOf(null)).toBe(pitchOf(0.5));
    expect(pitchOf(null)).toBeLessThan(pitchOf(0));
  });

  it("starts from the description of another engine's voice", () => {
    const base = { spec: { engine: 'other' }, description: 'A Scottish man' };
    for (const { spec } of engine.plan({ ...REQUEST, description: 'slower', base }))
      expect(spec.voice).toBe('awb');
  });

  it('encodes once when both formats are the same', async () => {
    const [preview] = await engine.design({ ...REQUEST, storedFormat: 'pcm_16000' });
    expect(preview!.stored).toBe(preview!.response);
  });

  it.each<OutputFormat>(['mp3_44100_128', 'mp3_22050_32', 'pcm_48000', 'pcm_8000', 'ulaw_8000'])(
    'speaks %s',
    async (outputFormat) => {
      const [preview] = await engine.design({ ...REQUEST, outputFormat });
      expect(preview!.response.bytes.length).toBeGreaterThan(4_000);
      expect(preview!.response.durationSecs).toBeGreaterThan(1);
    },
  );

  it('returns an MP3 that decodes to the length it claims', async () => {
    const [preview] = await engine.design({ ...REQUEST, outputFormat: 'mp3_44100_128' });
    const { samples, sampleRate } = await decodeAudio(preview!.response.bytes);
    expect(sampleRate).toBe(44_100);
    expect(samples.length / sampleRate).toBeCloseTo(preview!.response.durationSecs, 2);
  });

  it('says which accent it could not give', async () => {
    const [british] = await engine.design({ ...REQUEST, description: 'A British woman' });
    expect(british).toMatchObject({ language: 'en-US', understood: { unavailableAccent: 'british' } });
    const [scottish] = await engine.design({ ...REQUEST, description: 'A Scottish man' });
    expect(scottish).toMatchObject({ language: 'en-GB', understood: { unavailableAccent: null } });
  });

  it('refuses what would make the queue longer than allowed, and serves the rest', async () => {
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => engine.design(REQUEST)));
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(6);
    for (const { reason } of refused)
      expect(reason).toMatchObject({ name: 'VoiceEngineError', failure: 'queue_full' });
    await expect(engine.design(REQUEST)).resolves.toHaveLength(3);
  });

  it('stops when the caller aborts, with the reason of the caller', async () => {
    const controller = new AbortController();
    const design = engine.design(REQUEST, controller.signal);
    const reason = new Error('gone');
    controller.abort(reason);
    await expect(design).rejects.toBe(reason);
    await expect(engine.design(REQUEST, controller.signal)).rejects.toBe(reason);
    await expect(engine.design(REQUEST)).resolves.toHaveLength(3);
  });

  it('turns a failure in a thread into an error of that call only', async () => {
    const broken = engine.design({ ...REQUEST, outputFormat: 'pcm_-1' as OutputFormat });
    await expect(broken).rejects.toBeInstanceOf(VoiceEngineError);
    await expect(engine.design(REQUEST)).resolves.toHaveLength(3);
  });

  it('fails after its time limit', async () => {
    const hasty = new FliteEngine({ threads: 1, timeoutMs: 1 });
    await expect(hasty.design(REQUEST)).rejects.toMatchObject({
      name: 'VoiceEngineError',
      failure: 'timeout',
    });
    await hasty.close();
  });

  it('is silent where the text requests a pause, and says its words later by as much', async () => {
    const { accountId, outputFormat } = REQUEST;
    const { spec } = engine.plan(REQUEST)[0]!;
    const say = async (text: string) =>
      engine.speak({ accountId, outputFormat, spec, text, speed: 1, timed: true });
    const [one, two, both] = await Promise.all([
      say('Good morning,'),
      say('and thank you.'),
      say('Good morning, <break time="1.5s"/> and thank you. <break time="250ms"/>'),
    ]);
    expect(both.durationSecs).toBeCloseTo(one.durationSecs + 1.5 + two.durationSecs + 0.25, 2);
    const pause = Buffer.from(both.bytes).subarray(
      Math.ceil(one.durationSecs * 16_000 + 160) * 2,
      Math.floor((one.durationSecs + 1.49) * 16_000) * 2,
    );
    expect(pause.every((byte) => byte === 0)).toBe(true);
    expect(both.wordTimes).toHaveLength(5);
    expect(both.wordTimes![2]!.startSecs).toBeCloseTo(
      one.durationSecs + 1.5 + two.wordTimes![0]!.startSecs,
      2,
    );
  });

  it('refuses a text without anything to say', async () => {
    await expect(engine.design({ ...REQUEST, text: '!!!' })).rejects.toBeInstanceOf(RangeError);
  });
});
