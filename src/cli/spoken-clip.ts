import { byCommandLine } from '@app/administration/audit/audit-actors';
import { SpokenClips, type FoundItem } from '@app/administration/voices/spoken-clips.service';
import { CLIP } from '@app/audio/fingerprints/find-clip';
import { UndecodableAudioError } from '@app/audio/codecs/undecodable-audio.error';
import { AudioThreads } from '@app/audio/threads/audio-threads';
import { Ffmpeg } from '@app/audio/threads/ffmpeg';
import type { AppConfig } from '@app/config/app-config';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { LaunchError } from '../launcher/launch-error';
import { readRecording } from './review-files';
import { CONTROL } from './review-output';
import { withServices } from './cli.module';
import { withDatabase } from './with-database';

/** `greenroom spoken`: says which item of the history a clip was cut out of. The exit code is 1 when there is none. */
export async function findSpoken(config: AppConfig, path: string, reason: string): Promise<void> {
  const { items, waiting } = await find(config, path, reason).catch((error: unknown) => {
    const isOfFile = error instanceof UndecodableAudioError || error instanceof InvalidInput;
    const why = error instanceof InvalidInput ? `${error.problems[0]?.msg}.` : (error as Error).message;
    throw isOfFile ? new LaunchError(`${path}: ${why}`, { cause: error }) : error;
  });
  if (waiting > 0) process.stderr.write(`${waiting} items of the history are not looked at yet.\n`);
  process.stdout.write(items.map(describe).join('\n') || 'Not spoken here, as far as the history goes.\n');
  if (items.length === 0) process.exitCode = 1;
}

async function find(config: AppConfig, path: string, reason: string) {
  const bytes = await readRecording(path);
  if (typeof bytes === 'string') throw new LaunchError(`${path}: ${bytes}`);
  const ffmpeg = config.ffmpegPath === undefined ? null : new Ffmpeg(config.ffmpegPath);
  const threads = new AudioThreads({ threads: 1, idleThreads: 0, ffmpeg });
  const clip = await threads.fingerprint(bytes, CLIP).finally(() => void threads.close());
  return withDatabase(config, (ready) =>
    withServices(ready, (services) =>
      services.get(SpokenClips, { strict: false }).find(clip, byCommandLine(), reason),
    ),
  );
}

function describe(item: FoundItem): string {
  const rows = {
    agreement: `${((1 - item.bitErrorRate) * 100).toFixed(0)} % over ${item.comparedSecs.toFixed(1)} s`,
    account: `${item.accountName} (${item.accountId})`,
    voice: `${item.voiceName} (${item.voiceId})`,
    spoken: item.spokenAt.toISOString(),
    item: item.id,
    text: item.text,
  };
  return Object.entries(rows)
    .map(([name, value]) => `${name.padEnd(10)} ${value.replace(CONTROL, '?')}\n`)
    .join('');
}
