import { plural } from '@app/domain/common/sentences';
import type { AppConfig } from '@app/config/app-config';
import { KeyFileError } from '@app/domain/keys/key-file-error';
import { basename } from 'node:path';
import { Document, isScalar } from 'yaml';
import { KEY_FILE_SCHEMA } from '../../libs/administration/key-files/key-file';
import { KeyFileExportService } from '../../libs/administration/key-files/key-file-export.service';
import { quoted } from '../../libs/administration/key-files/file-part';
import type { KeyFilePlan } from '../../libs/administration/key-files/key-file-plan';
import { KeyFilesService } from '../../libs/administration/key-files/key-files.service';
import { MAX_FILE_CHARACTERS, readKeyFile } from '../../libs/administration/key-files/read-key-file';
import { writePrivateJson } from '../launcher/private-file';
import { withServices } from './cli.module';
import { countChanges, describePlan } from './key-file-output';
import { readBounded } from './read-bounded';
import { secretDestination } from './secret-destination';
import { withDatabase } from './with-database';

const CHANGES = 2;
/** A saved plan holds its file twice, with escapes, and what it would change. */
const MAX_INPUT_BYTES = 10 * MAX_FILE_CHARACTERS;
const PLAN_FORMAT = 'greenroom plan 1';

/** A plan as it is saved: with the text of its file. */
interface SavedPlan {
  format: string;
  label: string;
  text: string;
  plan: KeyFilePlan;
}

interface PlanOptions {
  out?: string;
  detailedExitcode?: boolean;
  json?: boolean;
}

interface ApplyOptions {
  secretsTo?: string;
  yes?: boolean;
  reason?: string;
}

/** `greenroom plan`: says what a file of keys would change. */
export async function plan(config: AppConfig, path: string, options: PlanOptions): Promise<void> {
  const text = readInput(path);
  const label = labelOf(path);
  const read = readKeyFile(text, label);
  const created = await withDatabase(config, (ready) =>
    withServices(ready, (services) => services.get(KeyFilesService).plan(read, label)),
  );
  if (options.out !== undefined)
    writePrivateJson(options.out, { format: PLAN_FORMAT, label, text, plan: created } satisfies SavedPlan);
  process.stdout.write(options.json ? `${JSON.stringify(created, null, 2)}\n` : describePlan(created));
  if (options.detailedExitcode && countChanges(created) > 0) process.exitCode = CHANGES;
}

/** `greenroom apply`: applies a file of keys, or a plan that was saved. */
export async function apply(config: AppConfig, path: string, options: ApplyOptions): Promise<void> {
  const input = readInput(path);
  const saved = readSaved(input);
  const label = saved?.label ?? labelOf(path);
  const read = readKeyFile(saved?.text ?? input, label);
  const deliver =
    options.secretsTo === undefined ? null : secretDestination(options.secretsTo, read.content.name);
  await withDatabase(config, (ready) =>
    withServices(ready, (services) =>
      services.get(KeyFilesService).apply(read, {
        label,
        confirmed: options.yes ?? false,
        reason: options.reason ?? null,
        saved: saved?.plan ?? null,
        deliver,
        onWait: () => process.stderr.write('Another process applies a file of keys; waiting for it.\n'),
        onPlan: (created) => process.stdout.write(describePlan(created)),
        onApplied: ({ account, changes }) =>
          process.stdout.write(`Applied to ${quoted(account)}: ${plural(changes.length, 'change')}.\n`),
      }),
    ),
  );
}

/** `greenroom export`: prints accounts as a file of keys, or the schema of the format. */
export async function exportFile(
  load: () => AppConfig,
  accounts: string[],
  { name, schema }: { name?: string; schema?: boolean },
): Promise<void> {
  if (schema) {
    process.stdout.write(`${JSON.stringify(KEY_FILE_SCHEMA, null, 2)}\n`);
    return;
  }
  const { content, names } = await withDatabase(load(), (ready) =>
    withServices(ready, (services) => services.get(KeyFileExportService).export(name ?? null, accounts)),
  );
  const document = new Document(content);
  document.commentBefore = ' Keys of Greenroom. Its schema: greenroom export --schema';
  for (const [index, accountName] of names.entries()) {
    const node = document.getIn(['accounts', index, 'account'], true);
    if (isScalar(node)) node.comment = ` ${quoted(accountName)}`;
  }
  process.stdout.write(document.toString({ lineWidth: 0 }));
}

/** `greenroom release`: what a file manages stays as it is, and staff may change it again. */
export async function release(
  config: AppConfig,
  name: string,
  { id, reason }: { id?: string; reason: string },
): Promise<void> {
  const released = await withDatabase(config, (ready) =>
    withServices(ready, (services) => services.get(KeyFilesService).release(name, id ?? null, reason)),
  );
  if (released === 0)
    throw new KeyFileError([
      `The file of keys ${quoted(name)} manages ${id === undefined ? 'nothing' : `no key or webhook ${quoted(id)}`}.`,
    ]);
  process.stdout.write(`Released ${released} from ${quoted(name)}.\n`);
}

function readInput(path: string): string {
  try {
    return readBounded(path === '-' ? 0 : path, MAX_INPUT_BYTES);
  } catch (error) {
    throw new KeyFileError([`${path}: The file cannot be read (${(error as Error).message}).`]);
  }
}

function labelOf(path: string): string {
  return path === '-' ? 'stdin' : basename(path);
}

/** A saved plan; null for a file of keys. */
function readSaved(input: string): SavedPlan | null {
  if (!input.startsWith(`{\n  "format": "greenroom plan`)) return null;
  const saved = JSON.parse(input) as SavedPlan;
  if (saved.format === PLAN_FORMAT) return saved;
  throw new KeyFileError([
    `The plan is of another release (${saved.format}; accepted: ${PLAN_FORMAT}): make a new one.`,
  ]);
}
