import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const PROJECT = join(__dirname, '../..');
export const CHAPTERS = ['docs/operations.md', 'docs/high-availability.md', 'docs/scaling.md'];

/** A block of commands or settings in a chapter or a comment, and what is said before it about who runs it. */
export interface Block {
  place: string;
  text: string;
  /** A suite, and by which name it knows the block; null where the mark says why it is not run, or is missing. */
  suite: { file: string; name: string } | null;
  whyNot: string | null;
}

const FENCED = /(?:<!-- (.*?) -->\n+)?^```\w*\n(.*?)^```$/gms;
/** In a comment: lines that are indented, after one in brackets that says who runs them. */
const COMMENTED = /(?:^# \((.*?)\)\n)?((?:^#   .+\n)+)/gm;

/** Files with blocks in their comments, or documents among them. */
const DEPLOYED = readdirSync(join(PROJECT, 'deploy'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(PROJECT, join(entry.parentPath, entry.name)))
  .sort();

/** Every fenced block of the chapters, and every one in a comment of `deploy`. */
export function listBlocks(): Block[] {
  return [...CHAPTERS, ...DEPLOYED].flatMap((file) => {
    const content = readFileSync(join(PROJECT, file), 'utf8');
    const pattern = file.endsWith('.md') ? FENCED : COMMENTED;
    return [...content.matchAll(pattern)].map(({ 1: mark = '', 2: text = '', index }): Block => {
      const [, suite, name] = /^run by (\S+): (\S+)$/.exec(mark) ?? [];
      const [, whyNot = null] = /^not run here: (.+)$/.exec(mark) ?? [];
      const line = content.slice(0, index).split('\n').length;
      return { place: `${file}:${line}`, text, suite: suite ? { file: suite, name: name! } : null, whyNot };
    });
  });
}

/** The text of a block that a suite runs. */
export function blockFor(name: string): string {
  const found = listBlocks().filter(({ suite }) => suite?.name === name);
  if (found.length !== 1) throw new Error(`${found.length} blocks of the chapters are called ${name}.`);
  return found[0]!.text;
}
