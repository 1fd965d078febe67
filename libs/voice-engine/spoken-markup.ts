/** The longest silence that a text may request at once, as in the published contract. */
const MAX_PAUSE_SECS = 3;

/** An element (`<break time="1s"/>`; not `<b and c>`), a comment, or an audio tag of the v3 models: words in brackets. */
const ATTRIBUTE = String.raw`\s{1,9}[\w:-]{1,40}\s{0,3}=\s{0,3}(?:"[^"<>]{0,100}"|'[^'<>]{0,100}'|[^\s"'<>=]{1,100})`;
const ELEMENT = String.raw`<\/?[A-Za-z][\w:-]{0,40}(?:${ATTRIBUTE}){0,10}\s{0,9}\/?>`;
const COMMENT = String.raw`<[!?][^<>]{0,200}>`;
const AUDIO_TAG = String.raw`\[[\p{L}\s',-]{0,80}\](?!\()`;
const MARKUP = new RegExp(`${ELEMENT}|${COMMENT}|${AUDIO_TAG}`, 'gu');
/** Of a link, only the text is spoken. */
const LINK = /\[([^[\]]{1,300})\](\([^()\s]{1,500}\))/gu;
const BREAK = /^<break\s[^<>]*?\btime\s{0,3}=\s{0,3}["']?\s{0,3}(\d{0,6}(?:\.\d{1,6})?)\s{0,3}(ms|s)\b/i;

/** A part of a text and the silence behind it. */
export interface PausedText {
  text: string;
  pauseSecs: number;
}

/** Spaces in the place of markup, of tags and of the addresses of links: every other character stays where it was. */
export function blankMarkup(text: string): string {
  const blank = (markup: string) => ' '.repeat(markup.length);
  return text
    .replace(LINK, (_, inside: string, address: string) => ` ${inside} ${blank(address)}`)
    .replace(MARKUP, blank);
}

/** Where markup stands in a text. */
export function* markupIn(text: string): Generator<{ start: number; end: number }, void> {
  for (const { 0: markup, index } of text.matchAll(MARKUP))
    yield { start: index, end: index + markup.length };
}

/** Seconds of silence that a piece of markup requests; 0 for other markup. */
export function pauseOf(markup: string): number {
  const [, amount, unit] = BREAK.exec(markup) ?? [];
  const secs = Number(amount) / (unit?.toLowerCase() === 'ms' ? 1_000 : 1);
  return Math.min(MAX_PAUSE_SECS, secs || 0);
}

/** The markup for which `pauseOf` returns as much. */
export function pauseMarkup(secs: number): string {
  return secs > 0 ? `<break time="${secs.toFixed(3)}s"/>` : '';
}

/** A text in parts, cut where it requests silence. The last part has none behind it. */
export function splitAtPauses(text: string): PausedText[] {
  const parts: PausedText[] = [];
  let from = 0;
  for (const { start, end } of markupIn(text)) {
    const pauseSecs = pauseOf(text.slice(start, end));
    if (pauseSecs === 0) continue;
    parts.push({ text: text.slice(from, start), pauseSecs });
    from = end;
  }
  return [...parts, { text: text.slice(from), pauseSecs: 0 }];
}

/**
 * A text for an engine that would read markup aloud.
 *
 * @param writePause how the engine wants silence to be written; null when it knows none
 */
export function withoutMarkup(text: string, writePause: ((secs: number) => string) | null): string {
  const parts = splitAtPauses(text).map(({ text: part, pauseSecs }) => {
    const pause = pauseSecs > 0 && writePause ? writePause(pauseSecs) : '';
    return `${blankMarkup(part)} ${pause} `;
  });
  if (blankMarkup(text) === text) return text;
  return parts
    .join('')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.,;:!?])/g, '')
    .trim();
}

/** Seconds of silence that a whole text requests. */
export function pausesIn(text: string): number {
  return splitAtPauses(text).reduce((sum, { pauseSecs }) => sum + pauseSecs, 0);
}
