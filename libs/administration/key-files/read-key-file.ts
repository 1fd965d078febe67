import type { Finding } from '@app/domain/common/field-checks';
import { readText, TextFileError } from '@app/domain/common/text-file';
import { KeyFileError } from '@app/domain/keys/key-file-error';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from 'yaml';
import { checkKeyFile, findRepetitions, MAX_FILE_OBJECTS, type KeyFile } from './key-file';

/** Characters of a file at the most: 10,000 keys are 3 MB. */
export const MAX_FILE_CHARACTERS = 10_000_000;
/** Fields of accounts, keys, webhooks and rules that each of them has; some may be inside of notes. */
const NAMING_FIELD = /\b(?:account|name|kind)["']?[ \t]*:/g;
const MAX_NAMING_FIELDS = 4 * MAX_FILE_OBJECTS;

/** A file of keys with the lines of its fields. */
export interface ReadKeyFile {
  content: KeyFile;
  /** `LINE:COLUMN` of a field. */
  placeOf: (path: readonly (string | number)[]) => string;
}

/**
 * Reads a file of keys: YAML 1.2, of which JSON is a part.
 *
 * @param label how the file is called in messages
 * @throws KeyFileError naming everything that is not accepted
 */
export function readKeyFile(text: string, label: string): ReadKeyFile {
  refuseTooLong(text, label);
  refuseTooMany(text, label);
  const { content, placeOf } = readCheckedYaml(text, label, (read) => {
    const findings = checkKeyFile(read);
    return findings.length > 0 ? findings : findRepetitions(read as KeyFile);
  });
  return { content: content as KeyFile, placeOf };
}

/**
 * Reads a YAML file whose content passes a check.
 *
 * @throws KeyFileError naming everything that is not accepted, with its place
 */
export function readCheckedYaml(
  text: string,
  label: string,
  examine: (content: unknown) => Finding[],
): { content: unknown; placeOf: ReadKeyFile['placeOf'] } {
  refuseTooLong(text, label);
  const lines = new LineCounter();
  const document = parseDocument(seen(text, label), {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
  });
  const at = ({ line, col }: { line: number; col: number }) => `${line}:${col}`;
  const broken = [...document.errors, ...document.warnings].map(
    ({ message, pos }) => `${label}:${at(lines.linePos(pos[0]))}: ${message}`,
  );
  if (broken.length > 0) throw new KeyFileError(broken);
  const content = toContent(document, label);
  const placeOf = (path: readonly (string | number)[]) => at(lines.linePos(offsetOf(document, path)));
  const problems = examine(content);
  if (problems.length > 0) {
    throw new KeyFileError(
      problems.map((finding) => describe(finding, label, placeOf(finding.path ?? []), content)),
    );
  }
  return { content, placeOf };
}

function seen(text: string, label: string): string {
  try {
    return readText(text);
  } catch (error) {
    if (error instanceof TextFileError) throw new KeyFileError([`${label}:${error.line}: ${error.problem}`]);
    throw error;
  }
}

function refuseTooLong(text: string, label: string): void {
  if (text.length <= MAX_FILE_CHARACTERS) return;
  throw new KeyFileError([
    `${label}: The file has ${text.length} characters; ${MAX_FILE_CHARACTERS} are accepted.`,
  ]);
}

/** Counts before it parses, which takes seconds for what is far beyond the bound. */
function refuseTooMany(text: string, label: string): void {
  const fields = text.match(NAMING_FIELD)?.length ?? 0;
  if (fields <= MAX_NAMING_FIELDS) return;
  throw new KeyFileError([
    `${label}: The file names about ${fields} accounts, keys, webhooks and rules; ${MAX_FILE_OBJECTS} are accepted: make several files of it.`,
  ]);
}

/** Aliases are resolved, a bounded number of times. */
function toContent(document: Document, label: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new KeyFileError([`${label}: ${(error as Error).message}.`]);
  }
}

function describe(finding: Finding, label: string, place: string, content: unknown): string {
  const { msg, path = [] } = finding;
  const input = 'input' in finding ? finding.input : content;
  const shown = finding.type === 'missing' ? '' : ` (given: ${shortly(input)})`;
  return `${label}:${place}: ${fieldName(path)}: ${msg.replace(/\.$/, '')}${shown}.`;
}

/** The input, in one line; a list that holds itself among it. */
function shortly(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return JSON.stringify(value ?? null).slice(0, 100);
}

/** `accounts[0].keys[3].name`. */
export function fieldName(path: readonly (string | number)[]): string {
  const name = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return name.replace(/^\./, '') || 'the file';
}

/** Where a field begins: its name in a map, itself in a list; of what is not there, where it would be. */
function offsetOf(document: Document, path: readonly (string | number)[]): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => (isScalar(key) ? key.value : key) === step);
      if (!pair) return offset;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof step === 'number' && node.items[step] !== undefined) {
      node = node.items[step];
      offset = startOf(node) ?? offset;
    } else return offset;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null)?.range?.[0];
}
