/** How a body can be compressed, the better one first. */
export const CODINGS = ['br', 'gzip'] as const;

export type Coding = (typeof CODINGS)[number];

/**
 * The coding that a client prefers (RFC 9110, 12.5.3); of those it likes equally, the first of `offered`.
 *
 * @param header the Accept-Encoding header
 * @returns null when the body is sent as it is
 */
export function chooseCoding(header = '', offered: readonly Coding[] = CODINGS): Coding | null {
  const weights = new Map(header.split(',').map(readWeight));
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0;
  const [best] = offered.toSorted((a, b) => weightOf(b) - weightOf(a));
  return best !== undefined && weightOf(best) > 0 ? best : null;
}

/** What is not a number counts as refused. */
function readWeight(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  return [coding, q === undefined ? 1 : Number(q.slice(2)) || 0];
}
