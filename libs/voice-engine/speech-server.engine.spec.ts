import { decodeAudio } from '@app/audio/codecs/decode-audio';
import { SpeechServerEngine, type SpeechServerEngineOptions } from './speech-server.engine';
import {
  refuseLikeKokoro,
  refuseLikeOpenAi,
  SpecSpeechServer,
  speakEndlessWav,
  speakHalf,
  speakSilence,
  speakWav,
} from '../../test/support/speech-server';
import type { DesignRequest } from './voice-engine';

const REQUEST: DesignRequest = {
  accountId: 'one',
  description: 'A calm young woman with a clear voice',
  text: 'Good morning – and thank you for calling.',
  loudness: 0.5,
  seed: 42,
  guidanceScale: 5,
  quality: null,
  outputFormat: 'pcm_16000',
  storedFormat: 'mp3_22050_32',
};

let server: SpecSpeechServer;
let url: string;
const engines: SpeechServerEngine[] = [];

beforeEach(async () => {
  server = new SpecSpeechServer();
  url = await server.start();
});

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  await server.stop();
});

function open(options: Partial<SpeechServerEngineOptions> = {}): SpeechServerEngine {
  const engine = new SpeechServerEngine({ url, dialect: 'openai', retryAfterMs: 5, ...options });
  engines.push(engine);
  return engine;
}

describe('a design', () => {
  it('gives three levelled previews in both formats', async () => {
    const previews = await open().design(REQUEST);
    expect(previews).toHaveLength(3);
    expect(new Set(previews.map(({ response }) => Buffer.from(response.bytes).toString('base64'))).size).toBe(
      3,
    );
    for (const { response, stored } of previews) {
      expect(response).toMatchObject({ mediaType: 'audio/pcm;rate=16000', durationSecs: 2 });
      const { samples, sampleRate } = await decodeAudio(stored.bytes);
      expect(samples.length / sampleRate).toBeCloseTo(2, 1);
    }
  });

  it('sends OpenAI no field that it does not know', async () => {
    await open({ apiKey: 'sk-test', url: `${url}/v1/` }).design(REQUEST);
    expect(server.calls[0]).toMatchObject({ path: '/v1/audio/speech', authorization: 'Bearer sk-test' });
    expect(Object.keys(server.calls[0]!.body).sort()).toEqual(
      ['input', 'instructions', 'model', 'response_format', 'speed', 'voice'].sort(),
    );
    expect(server.calls[0]!.body).toMatchObject({ input: REQUEST.text, response_format: 'wav' });
    expect(new Set(server.calls.map(({ body }) => body.voice)).size).toBe(3);
  });

  it('gives the older OpenAI models no instructions', async () => {
    await open({ model: 'tts-1-hd' }).design(REQUEST);
    expect(server.calls[0]!.body).not.toHaveProperty('instructions');
  });

  it('lets vLLM-Omni design the voice from the description, three shades of it', async () => {
    await open({ dialect: 'vllm-omni' }).design(REQUEST);
    for (const { body } of server.calls)
      expect(body).toMatchObject({ task_type: 'VoiceDesign', language: 'Auto', stream: false });
    const instructions = server.calls.map(({ body }) => body.instructions as string);
    expect(new Set(instructions).size).toBe(3);
    for (const each of instructions) expect(each).toContain(REQUEST.description);
  });

  it.each(['openai', 'vllm-omni', 'kokoro'] as const)(
    'speaks as fast as requested with %s',
    async (dialect) => {
      const engine = open({ dialect });
      const [plan] = engine.plan(REQUEST);
      const { accountId, outputFormat } = REQUEST;
      await engine.speak({ accountId, outputFormat, spec: plan!.spec, text: 'Ready.', speed: 1.2 });
      expect(server.calls[0]!.body.speed).toBeCloseTo(plan!.spec.speed * 1.2, 2);
    },
  );

  it('sends Kokoro the field that stops streaming, and picks its voices by gender', async () => {
    const previews = await open({ dialect: 'kokoro' }).design(REQUEST);
    expect(server.calls[0]!.body).toMatchObject({ model: 'kokoro', stream: false });
    for (const { body } of server.calls) expect(body.voice).toMatch(/^[ab]f_/);
    expect(previews.map(({ language }) => language)).toEqual(
      previews.map(({ spec }) =>
        (spec as unknown as { voice: string }).voice[0] === 'b' ? 'en-GB' : 'en-US',
      ),
    );
  });

  it('starts a remix from the voice and its instructions, and stays within their length', async () => {
    const engine = open();
    const [first] = engine.plan(REQUEST);
    const base = { spec: first!.spec, description: 'x'.repeat(1_000) };
    const [changed] = engine.plan({ ...REQUEST, description: 'slower', base });
    expect(changed!.spec.voice).toBe(first!.spec.voice);
    expect(changed!.spec.instructions).toBe(`${REQUEST.description} Change: slower`);
    expect(changed!.spec.speed).toBeLessThan(1);
    let spec = first!.spec;
    for (let round = 0; round < 8; round++) {
      const again = { spec, description: '' };
      spec = engine.plan({ ...REQUEST, description: 'y'.repeat(1_000), base: again })[2]!.spec;
    }
    expect(spec.instructions.length).toBeLessThanOrEqual(4_096);
  });

  it.each([
    ['kokoro', 'Wait [pause:1.5s] and listen to 你好.'],
    ['openai', 'Wait and listen to 你好.'],
    ['vllm-omni', 'Wait and listen to 你好.'],
  ] as const)('gives %s the text without what is not spoken', async (dialect, input) => {
    const text = 'Wait <break time="1500ms"/> [whispers] and listen to [你好](https://example.com).';
    await open({ dialect }).design({ ...REQUEST, text });
    expect(server.calls[0]!.body.input).toBe(input);
  });

  it('reads a WAV whose length is not stated', async () => {
    server.responses = [speakEndlessWav];
    expect((await open().design(REQUEST))[0]!.stored.durationSecs).toBeCloseTo(2, 1);
  });
});

describe('a server that says "not now"', () => {
  it.each([408, 429, 500, 502, 503])('with %d is retried', async (status) => {
    server.responses = [refuseLikeOpenAi(status), speakWav];
    await expect(open().design(REQUEST)).resolves.toHaveLength(3);
    expect(server.calls).toHaveLength(4);
  });

  it('three times is busy', async () => {
    server.responses = [refuseLikeOpenAi(429)];
    await expect(open().design(REQUEST)).rejects.toMatchObject({ failure: 'busy' });
  });

  it('for all three previews is called three times in all', async () => {
    server.responses = [refuseLikeOpenAi(500)];
    await expect(open().design(REQUEST)).rejects.toMatchObject({ failure: 'failed' });
    expect(server.calls).toHaveLength(3);
  });

  it('for longer than a request can wait is not retried', async () => {
    server.responses = [refuseLikeOpenAi(503, { 'retry-after': '3600' })];
    await expect(open().check()).rejects.toMatchObject({ failure: 'failed' });
    expect(server.calls).toHaveLength(1);
  });
});

describe('a server that refuses', () => {
  it.each([
    ['like OpenAI', refuseLikeOpenAi(404), 'responded 404: the model is not here'],
    ['like Kokoro', refuseLikeKokoro(400), 'responded 400: the voice is not here'],
  ])('%s is not retried, and quoted', async (_, answer, message) => {
    server.responses = [answer];
    await expect(open().check()).rejects.toMatchObject({
      failure: 'failed',
      message: expect.stringContaining(message),
    });
    expect(server.calls).toHaveLength(1);
  });

  it('with a page instead of JSON is quoted briefly', async () => {
    server.responses = [(response) => void response.writeHead(400).end(`<html>${'x'.repeat(5_000)}`)];
    const error = await open()
      .check()
      .catch((reason: Error) => reason);
    expect((error as Error).message.length).toBeLessThan(400);
  });
});

describe('a hostile server', () => {
  it('that redirects is not followed', async () => {
    const elsewhere = new SpecSpeechServer();
    const target = await elsewhere.start();
    server.responses = [
      (response) => void response.writeHead(307, { location: `${target}/v1/audio/speech` }).end(),
    ];
    await expect(open().design(REQUEST)).rejects.toMatchObject({ failure: 'failed' });
    expect(elsewhere.calls).toHaveLength(0);
    await elsewhere.stop();
  });

  it('that never ends its response is cut off', async () => {
    server.responses = [
      (response) => {
        response.writeHead(200);
        const pour = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        };
        response.on('drain', pour);
        pour();
      },
    ];
    await expect(open({ maxBytes: 1_000_000 }).design(REQUEST)).rejects.toThrow('more than 1000000 bytes');
  });

  it.each([
    ['never responds', () => undefined],
    [
      'stops in the middle',
      (response: import('node:http').ServerResponse) => void response.writeHead(200).write('RIFF'),
    ],
  ])('that %s runs into the time limit, once', async (_, answer) => {
    server.responses = [answer];
    await expect(open({ timeoutMs: 1_000 }).check()).rejects.toMatchObject({ failure: 'timeout' });
    expect(server.calls).toHaveLength(1);
  });

  it.each([
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'],
    ['101 alone', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ])('that switches protocols with %s is refused, once', async (_, text) => {
    server.responses = [(response) => void response.socket!.write(text)];
    await expect(open({ timeoutMs: 5_000 }).check()).rejects.toMatchObject({
      failure: 'failed',
      message: expect.stringContaining('101'),
    });
    expect(server.calls).toHaveLength(1);
  });

  it('that breaks off its recording is retried, and gives no audio', async () => {
    server.responses = [
      (response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('RIFF');
        setImmediate(() => response.destroy());
      },
    ];
    await expect(open().check()).rejects.toMatchObject({ failure: 'failed' });
    expect(server.calls).toHaveLength(3);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a web page', Buffer.from('<html><body>Welcome</body></html>')],
    ['a WAV without sound', Buffer.from('RIFF\x24\0\0\0WAVEfmt ')],
    ['noise', Buffer.alloc(5_000, 0x5a)],
  ])('that sends %s gives no audio', async (_, bytes) => {
    server.responses = [
      (response) => void response.writeHead(200, { 'content-type': 'audio/wav' }).end(bytes),
    ];
    await expect(open().design(REQUEST)).rejects.toThrow('no usable audio');
  });

  it.each([
    ['half of a recording', speakHalf, 'it ends after 1.00 of 2.00 seconds'],
    ['silence', speakSilence, 'it is silent'],
  ])('that sends %s gives no audio', async (_, answer, reason) => {
    server.responses = [answer];
    await expect(open().design(REQUEST)).rejects.toThrow(reason);
  });

  it('that is gone cannot be reached', async () => {
    await server.stop();
    await expect(open().design(REQUEST)).rejects.toMatchObject({
      failure: 'failed',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    await server.start();
  });
});

describe('a caller', () => {
  it('that aborts stops the requests, with its own reason', async () => {
    server.responses = [() => undefined];
    const controller = new AbortController();
    const design = open().design(REQUEST, controller.signal);
    const reason = new Error('gone');
    setImmediate(() => controller.abort(reason));
    await expect(design).rejects.toBe(reason);
  });

  it('beyond the requests at the same time waits for its turn', async () => {
    const open3 = open({ maxRequests: 3 });
    const [done, responses]: [string[], (() => void)[]] = [[], []];
    server.responses = [(response, call) => void responses.push(() => speakWav(response, call))];
    const design = async (accountId: string) => {
      await open3.design({ ...REQUEST, accountId });
      done.push(accountId);
    };
    const designs = [design('many'), design('many'), design('few')];
    while (responses.length > 0 || done.length < 3) {
      responses.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(designs);
    expect(done).toEqual(['many', 'few', 'many']);
  });
});
