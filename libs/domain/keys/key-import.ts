import { readingCsv } from '../common/csv-records';
import type { Interruptible } from '../common/interruptible';
import { plural } from '../common/sentences';
import { readText, TextFileError } from '../common/text-file';
import { checkExternalId } from '../common/tags';
import { canBeApiKey, digestSecret, IMPORTED_SECRET } from './api-key-secret';
import { parsePermissions } from './permissions';

/** Keys of one import. */
export const MAX_IMPORTED_KEYS = 100_000;

/** A key of another system, as it is stored here: of its secret, the digest and what people recognise it by. */
export interface ImportedKey {
  line: number;
  name: string;
  /** SHA-256 of the secret in lower-case hexadecimal. */
  digest: string;
  /** Beginning and last four characters. */
  maskedSecret: string;
  permissions: string[] | null;
  creditLimit: number | null;
  externalId: string | null;
}

/** What is wrong with a line. Says nothing of a secret. */
export interface ImportProblem {
  line: number;
  problem: string;
}

/** The keys of a file that are accepted, and what is wrong with its other lines. */
export interface KeyImportFile {
  keys: ImportedKey[];
  problems: ImportProblem[];
}

const COLUMNS = [
  'name',
  'secret',
  'sha256',
  'prefix',
  'last_four',
  'permissions',
  'credit_limit',
  'external_id',
] as const;
type Row = Partial<Record<(typeof COLUMNS)[number], string>>;

const MAX_NAME = 200;
const SHORT = /^[\x21-\x7e]{1,16}$/;
const LAST_FOUR = /^[\x21-\x7e]{4}$/;
/** Characters that a secret must have different ones of: `aaaa…` is not a secret. */
const MIN_DIFFERENT = 8;
const EMPTY_DIGEST = digestSecret('');
/** After so many keys, others may have their turn. */
const ROWS_AT_ONCE = 20;

/** Reads a CSV file of keys: a line with the names of its columns, then a key a line, by its secret or by its SHA-256. */
export function* readingKeyImport(input: string): Interruptible<KeyImportFile> {
  const text = textOf(input);
  if (typeof text !== 'string') return { keys: [], problems: [text] };
  const { records, brokenLine } = yield* readingCsv(text);
  const header = records[0];
  const broken =
    brokenLine === null
      ? []
      : [{ line: brokenLine, problem: 'A quote is not closed, or stands inside of a cell.' }];
  const unusable = problemOfHeader(header?.cells ?? []) ?? problemOfCount(Math.max(0, records.length - 1));
  if (unusable !== null)
    return { keys: [], problems: [{ line: header?.line ?? 1, problem: unusable }, ...broken] };
  const keys: ImportedKey[] = [];
  const problems: ImportProblem[] = [];
  const lines = { digest: new Map<string, number>(), externalId: new Map<string, number>() };
  for (const [index, { line, cells }] of records.entries()) {
    if (index % ROWS_AT_ONCE === 0) yield;
    if (index === 0) continue;
    const row = Object.fromEntries(
      header!.cells.map((name, place) => [name, (cells[place] ?? '').trim()]),
    ) as Row;
    const read =
      cells.length > header!.cells.length ? 'It has more cells than the first line.' : readRow(row);
    const problem = typeof read === 'string' ? read : repetition(read, line, lines);
    if (problem === null) keys.push({ line, ...(read as Omit<ImportedKey, 'line'>) });
    else problems.push({ line, problem });
  }
  return { keys, problems: [...problems, ...broken] };
}

function textOf(input: string): string | ImportProblem {
  try {
    return readText(input);
  } catch (error) {
    if (error instanceof TextFileError) return { line: error.line, problem: error.problem };
    throw error;
  }
}

function problemOfHeader(names: readonly string[]): string | null {
  const accepted = `The first line names the columns: ${COLUMNS.join(', ')}; "name", and "secret" or "sha256", are needed.`;
  const known = names.every((name) => COLUMNS.some((column) => column === name));
  const complete = names.includes('name') && (names.includes('secret') || names.includes('sha256'));
  return known && complete && new Set(names).size === names.length ? null : accepted;
}

function problemOfCount(count: number): string | null {
  if (count > 0 && count <= MAX_IMPORTED_KEYS) return null;
  return `There are ${plural(count, 'key')}; 1 to ${MAX_IMPORTED_KEYS} are accepted.`;
}

function repetition(
  { digest, externalId }: Omit<ImportedKey, 'line'>,
  line: number,
  lines: Record<'digest' | 'externalId', Map<string, number>>,
): string | null {
  const same = lines.digest.get(digest);
  if (same !== undefined) return `Line ${same} has the same secret.`;
  const named = externalId === null ? undefined : lines.externalId.get(externalId);
  if (named !== undefined) return `Line ${named} has the same external_id.`;
  lines.digest.set(digest, line);
  if (externalId !== null) lines.externalId.set(externalId, line);
  return null;
}

function readRow(row: Row): Omit<ImportedKey, 'line'> | string {
  const { name = '', permissions: names = '', credit_limit: limit = '', external_id: externalId = '' } = row;
  if (name === '' || name.length > MAX_NAME) return `"name" should have 1 to ${MAX_NAME} characters.`;
  const secret = readSecret(row);
  if (typeof secret === 'string') return secret;
  if (!/^\d{0,15}$/.test(limit)) return '"credit_limit" should be a whole number, or empty for none.';
  if (externalId !== '' && checkExternalId(externalId).length > 0) return '"external_id" is not accepted.';
  const parsed = parsePermissions(names === '' || names === 'all' ? 'all' : names.split(/[\s;]+/));
  if (!parsed.ok) return `"permissions": ${parsed.problems[0]?.message ?? 'not accepted'}`;
  return {
    name,
    ...secret,
    permissions: parsed.permissions,
    creditLimit: limit === '' ? null : Number(limit),
    externalId: externalId === '' ? null : externalId,
  };
}

function readSecret({ secret = '', sha256 = '', prefix = '', last_four: lastFour = '' }: Row) {
  if ((secret === '') === (sha256 === '')) return 'Either "secret" or "sha256" is needed.';
  if (prefix !== '' && !SHORT.test(prefix))
    return '"prefix" should have at most 16 visible ASCII characters.';
  if (secret !== '') {
    const { min, max } = IMPORTED_SECRET;
    if (!canBeApiKey(secret))
      return `"secret" should have ${min} to ${max} visible ASCII characters, and begin like a key of Greenroom only if it is one.`;
    if (new Set(secret).size < MIN_DIFFERENT)
      return `"secret" is too weak: it should have at least ${MIN_DIFFERENT} different characters.`;
    return {
      digest: digestSecret(secret),
      maskedSecret: maskOf(prefix || secret.slice(0, 4), secret.slice(-4)),
    };
  }
  const digest = readDigest(sha256);
  if (digest === null) return '"sha256" should be 64 hexadecimal digits, or the same 32 bytes in base64.';
  if (digest === EMPTY_DIGEST) return '"sha256" is that of an empty text.';
  if (!LAST_FOUR.test(lastFour))
    return 'With "sha256", "last_four" should be the last four characters of the secret.';
  return { digest, maskedSecret: maskOf(prefix, lastFour) };
}

const maskOf = (prefix: string, lastFour: string) => `${prefix}…${lastFour}`;

/** Lower-case hexadecimal; null for what is not a SHA-256. */
function readDigest(text: string): string | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 32 ? bytes.toString('hex') : null;
}
