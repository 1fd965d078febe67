import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bySystem } from '../../libs/administration/audit/audit-actors';
import { VoiceAliasesService } from '../../libs/administration/voices/voice-aliases.service';
import { areInstalled, installedFolder, installedProgram } from '../support/client-programs';
import { makeVoice } from '../support/previews';
import { DESCRIPTION, TEXT } from '../support/samples';
import { Stack, type IssuedKey } from '../support/stack';

const CLI = join(installedFolder('programs'), 'node_modules/.bin/elevenlabs');
/** The voices that LiveKit's plugin and Mastra speak with when they are given none. */
const BUILT_IN = ['bIHbv24MWmeRgasZH58o', '9BWtsMINqrJLrRacOk9x'];
jest.setTimeout(300_000);

(areInstalled('programs') ? describe : describe.skip)(
  'programs that node scripts/test-setup.mjs --clients installs',
  () => {
    let stack: Stack;
    let key: IssuedKey;
    let voiceId: string;
    let home: string;

    beforeAll(async () => {
      home = mkdtempSync(join(tmpdir(), 'greenroom-clients-'));
      stack = await Stack.start({ worker: false });
      key = await stack.issueKey({ tier: 'pro' });
      ({ voiceId } = await makeVoice(stack, key.secret));
      const change = { actor: bySystem('test'), voiceId, expected: 'any', reason: null } as const;
      await stack.api.get(VoiceAliasesService).set(change, BUILT_IN);
    });

    afterAll(async () => {
      await stack.stop();
      rmSync(home, { recursive: true });
    });

    const run = async (command: string, args: string[]) => {
      const env = {
        PATH: process.env.PATH,
        HOME: home,
        BASE_URL: stack.baseUrl,
        API_KEY: key.secret,
        VOICE_ID: voiceId,
        ELEVENLABS_BASE_URL: stack.baseUrl,
        ELEVENLABS_API_KEY: key.secret,
      };
      return (await promisify(execFile)(command, args, { env, cwd: home, maxBuffer: 50_000_000 })).stdout;
    };

    async function drive<T>(program: string): Promise<T> {
      return JSON.parse(
        (await run(process.execPath, [installedProgram(program)])).trim().split('\n').at(-1)!,
      ) as T;
    }

    it('LiveKit: turns of a session on one socket, two at once, a whole text, and its own voice by an alias', async () => {
      const { turns, whole, voices, builtIn } = await drive<{
        turns: number[];
        whole: number;
        voices: string[];
        builtIn: number;
      }>('livekit.mjs');
      expect(voices).toEqual([voiceId]);
      for (const secs of [...turns, whole, builtIn]) {
        expect(secs).toBeGreaterThan(2);
        expect(secs).toBeLessThan(10);
      }
    });

    it('the AI SDK: speech, with every option, and a refusal', async () => {
      const { plain, detailed, refused } = await drive<{
        plain: { mediaType: string; bytes: number; warnings: object[] };
        detailed: { bytes: number; warnings: object[] };
        refused: { statusCode: number };
      }>('ai-sdk.mjs');
      expect(plain).toMatchObject({ mediaType: 'audio/mpeg', warnings: [] });
      expect(plain.bytes).toBeGreaterThan(5_000);
      expect(detailed.warnings).toEqual([]);
      expect(detailed.bytes).toBeGreaterThan(plain.bytes);
      expect(refused.statusCode).toBe(404);
    });

    it('Mastra: speakers, speech, and its own voice by an alias', async () => {
      const { speakers, spoken, builtIn } = await drive<{
        speakers: string[];
        spoken: number;
        builtIn: number;
      }>('mastra.mjs');
      expect(speakers).toEqual([voiceId]);
      expect(spoken).toBeGreaterThan(5_000);
      expect(builtIn).toBe(spoken);
    });

    it('the official command line: from designing a voice to deleting it', async () => {
      type Options = Record<string, string>;
      const argsOf = (command: string, options: Options) => [
        ...command.split(' '),
        ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
      ];
      const cli = async <T = unknown>(command: string, options: Options = {}) =>
        JSON.parse(await run(CLI, argsOf(command, { ...options, format: 'json' }))) as T;
      const file = join(home, 'speech.mp3');
      const saves = async (command: string, options: Options, ...text: string[]) => {
        await run(CLI, [...argsOf(command, { ...options, output: file }), ...text]);
        expect(statSync(file).size).toBeGreaterThan(5_000);
        rmSync(file);
      };
      const models = await cli<{ can_do_text_to_speech: boolean }[]>('models list');
      expect(models[0]!.can_do_text_to_speech).toBe(true);
      expect(await cli('user get')).toHaveProperty('subscription.tier', 'pro');
      expect(await cli('user subscription get')).toHaveProperty('tier', 'pro');
      const design = { 'voice-description': DESCRIPTION, text: TEXT };
      const { previews } = await cli<{ previews: { generated_voice_id: string }[] }>(
        'text-to-voice design',
        design,
      );
      const chosen = { 'voice-name': 'Harbour', 'generated-voice-id': previews[0]!.generated_voice_id };
      const { voice_id: id } = await cli<{ voice_id: string }>('text-to-voice create', {
        ...chosen,
        'voice-description': DESCRIPTION,
      });
      const voice = { 'voice-id': id };
      expect(await cli('voices get', voice)).toMatchObject({ voice_id: id, name: 'Harbour' });
      expect(await cli('voices search')).toMatchObject({ total_count: 2 });
      await cli('voices update', { ...voice, name: 'Pier' });
      await cli('voices settings update', { ...voice, speed: '1.1' });
      expect(await cli('voices settings get', voice)).toMatchObject({ speed: 1.1 });
      const spoken = { ...voice, text: TEXT };
      await saves('text-to-speech convert', spoken);
      await saves('say', { voice: id }, TEXT);
      // Of a stream it writes text, unless it is asked for the bytes.
      const raw = await run(CLI, argsOf('text-to-speech stream', { ...spoken, format: 'raw' }));
      expect(raw.length).toBeGreaterThan(5_000);
      const timed = await cli('text-to-speech convert_with_timestamps', spoken);
      expect(timed).toHaveProperty('alignment.characters', [...TEXT]);
      const lines = await cli<{ alignment: { characters: string[] } | null }[]>(
        'text-to-speech stream_with_timestamps',
        spoken,
      );
      expect(lines.flatMap(({ alignment }) => alignment?.characters ?? [])).toEqual([...TEXT]);
      const { history } = await cli<{ history: { history_item_id: string }[] }>('history list');
      expect(history.length).toBeGreaterThanOrEqual(5);
      const item = { 'history-item-id': history[0]!.history_item_id };
      await saves('history get_audio', item);
      await cli('history delete', item);
      for (const type of ['tts_websocket', 'preview_stream'])
        expect(await cli('tokens single-use create', { 'token-type': type })).toHaveProperty('token');
      const range = { 'start-unix': '1', 'end-unix': String(Date.now()) };
      expect(await cli('usage get', range)).toHaveProperty('usage');
      const remix = { ...voice, 'voice-description': DESCRIPTION, text: TEXT };
      expect(await cli('text-to-voice remix', remix)).toHaveProperty('previews.length', 3);
      await cli('voices delete', voice);
      const gone = { stdout: expect.stringContaining('voice_not_found') as string };
      await expect(cli('voices get', voice)).rejects.toMatchObject(gone);
    });
  },
);
