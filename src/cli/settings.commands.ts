import type { AppConfig } from '@app/config/app-config';
import { KeyFileError } from '@app/domain/keys/key-file-error';
import { plural } from '@app/domain/common/sentences';
import { basename } from 'node:path';
import { stringify } from 'yaml';
import { ChangeWaits } from '../../libs/administration/approvals/approvals.service';
import { readSettingsFile, type SettingsFile } from '../../libs/administration/installation/settings-file';
import { SettingsService, type SettingChange } from '../../libs/administration/installation/settings.service';
import { LaunchError } from '../launcher/launch-error';
import { withServices } from './cli.module';
import { describeFields, SIGNS } from './key-file-output';
import { readBounded } from './read-bounded';
import { withDatabase } from './with-database';

const MAX_FILE_BYTES = 4_000_000;

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** `greenroom settings export`: prints the settings as a file. */
export async function exportSettings(config: AppConfig): Promise<void> {
  const file = await withSettings(config, (settings) => settings.export());
  process.stdout.write(stringify(file, { lineWidth: 0 }));
}

/** `greenroom settings plan`: says what a file would change. */
export async function planSettings(config: AppConfig, path: string): Promise<void> {
  const file = readSettings(path);
  const changes = await withSettings(config, (settings) => settings.plan(file));
  for (const change of changes) print(describe(change));
  print(changes.length === 0 ? 'The settings are as the file says.' : `To change: ${changes.length}.`);
}

/** `greenroom settings apply`: makes the settings those of a file. */
export async function applySettings(
  config: AppConfig,
  path: string,
  { reason }: { reason: string },
): Promise<void> {
  const file = readSettings(path);
  let changed = 0;
  const onChanged = (change: SettingChange) => {
    changed += 1;
    print(describe(change));
  };
  try {
    await withSettings(config, (settings) => settings.apply(file, reason, onChanged));
  } catch (error) {
    if (!(error instanceof ChangeWaits)) throw error;
    throw new LaunchError(
      `${error.message} Approve it in the console, then run this again for what comes after it.`,
      { cause: error },
    );
  }
  print(changed === 0 ? 'The settings are as the file says.' : `${plural(changed, 'change')} applied.`);
}

/** @throws KeyFileError when the file cannot be read, or is not accepted */
export function readSettings(path: string): SettingsFile {
  const label = path === '-' ? 'stdin' : basename(path);
  try {
    return readSettingsFile(readBounded(path === '-' ? 0 : path, MAX_FILE_BYTES), label);
  } catch (error) {
    if (error instanceof KeyFileError) throw error;
    throw new KeyFileError([`${path}: The file cannot be read (${(error as Error).message}).`]);
  }
}

async function withSettings<T>(
  config: AppConfig,
  run: (settings: SettingsService) => Promise<T>,
): Promise<T> {
  return withDatabase(config, (ready) =>
    withServices(ready, (services) => run(services.get(SettingsService))),
  );
}

function describe(change: SettingChange): string {
  const title = `${SIGNS[change.action]} ${change.kind}: ${change.name}`;
  if (change.action !== 'update') return title;
  return [title, ...describeFields(change).map(([, line]) => `    ${line}`)].join('\n');
}
