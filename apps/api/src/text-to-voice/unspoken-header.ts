import type { FastifyReply } from 'fastify';

const MOST = 50;

/** Names the characters of a text that the engine left out, as code points: `U+1F388 U+4F60`. */
export function writeUnspoken(reply: FastifyReply, characters: readonly string[]): void {
  if (characters.length === 0) return;
  const codes = characters
    .slice(0, MOST)
    .map((character) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`);
  void reply.header('x-unspoken-characters', codes.join(' '));
}
