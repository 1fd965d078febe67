import { createHash } from 'node:crypto';

/** What a voice is created with, from a preview or from recordings. */
interface VoiceContent {
  name: string;
  description: string;
  labels: Record<string, string>;
}

/** SHA-256 over the content of the request that creates a voice, regardless of the order of labels and ids. */
export function contentDigest({ name, description, labels }: VoiceContent, ids: string[]): string {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  const content = [name, description, sorted, [...new Set(ids)].sort()];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
