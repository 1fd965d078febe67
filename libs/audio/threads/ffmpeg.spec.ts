import { findProgram } from '@app/config/find-program';
import { decideRecording } from '@app/domain/reviews/recording-verdict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesizeWithFlite } from '../../voice-engine/flite-synthesizer';
import { bytesOf, wavFile } from '../../../test/support/audio/signals';
import { amrFile } from '../../../test/support/audio/containers';
import { UndecodableAudioError } from '../codecs/undecodable-audio.error';
import { AudioThreads } from './audio-threads';
import { AudioTaskCrashedError, AudioTaskTimeoutError } from './audio-threads.error';
import { Ffmpeg } from './ffmpeg';

const folder = mkdtempSync(join(tmpdir(), 'ffmpeg-'));
const at = (name: string) => join(folder, name);
const open: AudioThreads[] = [];
afterAll(async () => {
  await Promise.all(open.map((threads) => threads.close()));
  rmSync(folder, { recursive: true });
});

function threadsWith(ffmpeg: Ffmpeg): AudioThreads {
  const threads = new AudioThreads({ threads: 2, ffmpeg });
  open.push(threads);
  return threads;
}

/** A program in the place of ffmpeg. */
function programOf(script: string, timeLimitMs?: number): Ffmpeg {
  const path = at(`program-${open.length}-${script.length}`);
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return new Ffmpeg(path, timeLimitMs);
}

const AMR = amrFile(100);

describe('a program in its place', () => {
  const inspectWith = async (ffmpeg: Ffmpeg, signal?: AbortSignal) =>
    threadsWith(ffmpeg).inspect(async () => new Uint8Array(AMR), signal);
  const header = Buffer.from(wavFile(new Uint8Array(0), { claimedBytes: 0xffffffff })).toString('base64');
  const endless = `echo ${header} | base64 -d; exec cat /dev/zero`;

  it('that does not end is stopped at its time limit, and so is its pipe', async () => {
    await expect(inspectWith(programOf('while :; do :; done', 300))).rejects.toThrow(AudioTaskTimeoutError);
  });

  it('that writes without an end is stopped at the length that recordings may have', async () => {
    await expect(inspectWith(programOf(endless))).rejects.toThrow('more than 600 seconds of audio');
  });

  it('ends with the caller', async () => {
    const gone = new AbortController();
    const left = inspectWith(programOf('exec cat'), gone.signal);
    gone.abort(new Error('the caller has left'));
    await expect(left).rejects.toThrow('the caller has left');
  });

  it('that cannot be started says nothing about the recording', async () => {
    await expect(inspectWith(new Ffmpeg(at('none')))).rejects.toThrow(AudioTaskCrashedError);
  });

  it('without the decoder refuses the recording by name', async () => {
    const without = programOf("echo 'Decoder (codec amr_nb) not found for input stream #0:0' >&2; exit 1");
    await expect(inspectWith(without)).rejects.toThrow('Found an AMR file.');
  });

  it('that dies leaves a damaged recording', async () => {
    await expect(inspectWith(programOf('kill -SEGV $$'))).rejects.toThrow(
      'Found an AMR file that is damaged.',
    );
  });

  it('has limits of time, memory and files, and no environment', async () => {
    const { version } = await programOf(
      'echo "ffmpeg version $(ulimit -t)/$(ulimit -v)/$(ulimit -f)/$HOME$USER"',
    ).examine();
    expect(version).toBe('20/600000/0/');
  });
});

const path = findProgram('ffmpeg', process.env.PATH);
const describeWithFfmpeg = path ? describe : describe.skip;

describeWithFfmpeg('with an ffmpeg, which the PATH must have for these', () => {
  const threads = path ? threadsWith(new Ffmpeg(path)) : null!;
  const scoreOf = async (bytes: Uint8Array) => {
    const { measurements } = await threads.measure(bytes);
    return decideRecording(measurements).score;
  };
  const encode = (from: string, to: string, ...options: string[]) =>
    execFileSync(path!, ['-v', 'error', '-y', '-i', at(from), ...options, at(to)]);

  const KINDS: [string, ...string[]][] = [
    ['telephone.m4a', '-c:a', 'aac'],
    ['lossless.m4a', '-c:a', 'alac'],
    ['browser.mp4', '-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov'],
    ['old.3gp', '-c:a', 'aac'],
    ['stream.aac', '-c:a', 'aac'],
    ['desk.aiff', '-c:a', 'pcm_s16be'],
    ['telephone.wav', '-c:a', 'adpcm_ms'],
    ['recorder.wav', '-c:a', 'adpcm_ima_wav'],
    ['radio.wav', '-c:a', 'libmp3lame', '-b:a', '128k'],
    ['desk.wma', '-c:a', 'wmav2', '-b:a', '128k'],
    ['film.mkv', '-c:a', 'aac'],
    ['browser.webm', '-c:a', 'libvorbis', '-q:a', '7'],
  ];
  let wavScore: number;
  const files = new Map<string, Buffer>();

  beforeAll(async () => {
    const text = 'The harbour was quiet that morning, and the boats lay still while the fog moved slowly.';
    const { samples, sampleRate } = synthesizeWithFlite(text, {
      voice: 'awb',
      f0: 120,
      f0sd: 20,
      stretch: 1,
    });
    writeFileSync(at('speech.wav'), wavFile(bytesOf(samples), { tag: 3, bits: 32, sampleRate }));
    wavScore = await scoreOf(readFileSync(at('speech.wav')));
    for (const [name, ...options] of KINDS) {
      encode('speech.wav', name, ...options);
      files.set(name, readFileSync(at(name)));
    }
    files.set('message.amr', Buffer.from(amrFile()));
  });

  it.each(KINDS)('%s has the grade of the WAV file', async (name) => {
    expect(Math.abs((await scoreOf(files.get(name)!)) - wavScore)).toBeLessThanOrEqual(0.3);
  });

  it('AMR has the grade of what it decodes to', async () => {
    writeFileSync(at('message.amr'), amrFile());
    encode('message.amr', 'message.wav');
    const inWav = await scoreOf(readFileSync(at('message.wav')));
    expect(Math.abs((await scoreOf(amrFile())) - inWav)).toBeLessThanOrEqual(0.3);
  });

  it('a file that was cut off behind its index is damaged', async () => {
    encode('telephone.m4a', 'first.m4a', '-c', 'copy', '-movflags', 'faststart');
    const cut = readFileSync(at('first.m4a')).subarray(0, 30_000);
    const { lostSecs } = (await threads.measure(cut)).measurements;
    expect(lostSecs).toBeGreaterThan(1);
    await expect(threads.inspect(async () => new Uint8Array(cut))).rejects.toThrow(
      /ends after .+ seconds that/,
    );
    await expect(threads.measure(files.get('telephone.m4a')!.subarray(0, 30_000))).rejects.toThrow(
      'is damaged',
    );
  });

  it.each([...KINDS.map(([name]) => name), 'message.amr'])(
    'damaged ones of %s are refused in plain words, or decoded in part',
    async (name) => {
      const file = files.get(name)!;
      let state = 7;
      const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
      const damage = () => {
        const bytes = new Uint8Array(
          file.subarray(0, random() < 0.3 ? Math.floor(random() * file.length) : undefined),
        );
        const within = random() < 0.5 ? 900 : bytes.length;
        for (let k = 0; k < 12; k++)
          bytes[Math.floor(random() * Math.min(within, bytes.length))] = random() * 256;
        return bytes;
      };
      const results = await Promise.all(
        Array.from({ length: 25 }, async () =>
          threads.measure(damage()).catch((error: unknown) => error as Error),
        ),
      );
      const errors = results.filter((result) => result instanceof Error);
      expect(errors.filter((error) => !(error instanceof UndecodableAudioError))).toEqual([]);
      for (const { message } of errors)
        expect(message).toMatch(/^Found [^/]+(\/M4A|\/Matroska)?[^/]*\. Accepted/);
    },
    120_000,
  );

  it('nothing is read but its pipe: another file that it names is not', async () => {
    const playlist = Buffer.from(
      `\xff\xf1#EXTM3U\nfile://${at('speech.wav')}\nhttp://localhost/\n`,
      'latin1',
    );
    await expect(threads.measure(playlist)).rejects.toThrow(UndecodableAudioError);
  });
});
