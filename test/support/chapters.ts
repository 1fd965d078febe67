import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(__dirname, '../..');
export const CHAPTERS = ['docs/operations.md', 'docs/high-availability.md', 'docs/scaling.md'];

/** A block of commands or settings in a chapter, and what the comment before it says about who runs it. */
export interface Block {
  place: string;
  text: string;
  /** A suite, and by which name it knows the block; null where the mark says why it is not run, or is missing. */
  suite: { file: string; name: string } | null;
  whyNot: string | null;
}

const FENCED = /(?:<!-- (.*?) -->\n+)?^```\w*\n(.*?)^```$/gms;

/** Every fenced block of the chapters. */
export function listBlocks(): Block[] {
  return CHAPTERS.flatMap((file) => {
    const chapter = readFileSync(join(PROJECT, file), 'utf8');
    return [...chapter.matchAll(FENCED)].map(({ 1: mark = '', 2: text = '', index }): Block => {
      const [, suite, name] = /^run by (\S+): (\S+)$/.exec(mark) ?? [];
      const [, whyNot = null] = /^not run here: (.+)$/.exec(mark) ?? [];
      const line = chapter.slice(0, index).split('\n').length;
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
