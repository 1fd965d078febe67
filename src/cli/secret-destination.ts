import { KeyFileError } from '@app/domain/keys/key-file-error';
import { spawn } from 'node:child_process';
import { closeSync, fchmodSync, fstatSync, fsyncSync, openSync, readSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import type { NewFileSecret } from '../../libs/administration/key-files/key-file-plan';

type Deliver = (secrets: NewFileSecret[]) => Promise<void>;

/** A command has this long: the transaction that creates the keys waits for it. */
const COMMAND_TIMEOUT_MS = 10_000;

/**
 * Where new secrets go.
 *
 * - `file:PATH`: a line of JSON for each, appended to a file that only its owner reads
 * - `k8s:PATH`: a manifest of a Kubernetes Secret for each, appended likewise
 * - `command:COMMAND`: the same lines of JSON on the standard input of a command, run for each account
 *
 * A secret stands there before its key exists. If the transaction fails after that, the secret opens nothing.
 *
 * @throws KeyFileError for another form
 */
export function secretDestination(place: string, file: string): Deliver {
  const [, kind, rest] = /^(file|k8s|command):(.+)$/s.exec(place) ?? [];
  if (kind === 'file') return async (secrets) => appendPrivately(rest!, toLines(secrets));
  if (kind === 'k8s') return async (secrets) => appendPrivately(rest!, toManifests(secrets, file));
  if (kind === 'command') return (secrets) => runCommand(rest!, toLines(secrets));
  throw new KeyFileError([
    `--secrets-to: The place is not accepted (given: ${JSON.stringify(place.slice(0, 100))}; accepted: file:PATH, k8s:PATH or command:COMMAND).`,
  ]);
}

function toLines(secrets: readonly NewFileSecret[]): string {
  return secrets
    .map(({ kind, account, accountId, name, id, secret }) =>
      JSON.stringify({ kind, account, account_id: accountId, name, id, secret }),
    )
    .map((line) => `${line}\n`)
    .join('');
}

function toManifests(secrets: readonly NewFileSecret[], file: string): string {
  return secrets
    .map(({ kind, accountId, name, id, secret }) =>
      stringify({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          // Unique by the id; the name is for people, within the 253 characters that are accepted.
          name: `greenroom-${slug(name)}-${id}`,
          labels: { 'app.kubernetes.io/managed-by': 'greenroom' },
          annotations: { 'greenroom/file': file, 'greenroom/account': accountId, 'greenroom/name': name },
        },
        type: 'Opaque',
        stringData: { id, [kind === 'key' ? 'api-key' : 'webhook-secret']: secret },
      }),
    )
    .map((manifest) => `---\n${manifest}`)
    .join('');
}

function slug(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 100);
  return plain.replace(/^-|-$/g, '') || 'key';
}

function appendPrivately(path: string, text: string): void {
  let file: number;
  try {
    file = openSync(path, 'a+', 0o600);
  } catch (error) {
    throw new KeyFileError([`--secrets-to: ${path} cannot be written (${(error as Error).message}).`]);
  }
  try {
    const { mode, size } = fstatSync(file);
    if (size > 0 && (mode & 0o077) !== 0) {
      const input = (mode & 0o777).toString(8);
      throw new KeyFileError([
        `--secrets-to: Others may read ${path} (its mode: ${input}; accepted: 600). Change that, or name a new file.`,
      ]);
    }
    fchmodSync(file, 0o600);
    // All of it or an error: a single write may stop where the disk is full.
    writeFileSync(file, endsLine(file, size) ? text : `\n${text}`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Whether what is in a file ends with a line: the last process may have been killed in the middle of one. */
function endsLine(file: number, size: number): boolean {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last.toString() === '\n';
}

/** What the command prints is not shown: it could be the secrets. */
async function runCommand(command: string, input: string): Promise<void> {
  const child = spawn('sh', ['-c', command], {
    stdio: ['pipe', 'ignore', 'ignore'],
    timeout: COMMAND_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<string>((resolve) => {
    child.on('error', ({ message }) => resolve(message));
    child.on('close', (code, signal) =>
      resolve(code === 0 ? '' : signal ? `ended by ${signal}` : `exit code ${code}`),
    );
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const problem = await ended;
  if (problem) throw new KeyFileError([`--secrets-to: The command has not taken the secrets (${problem}).`]);
}
