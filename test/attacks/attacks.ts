/** Every attack, by the name that the attacker knows it under, and what it is. */
export const ATTACKS = {
  'six-sockets': '6 sockets pipeline 57 kB of requests and read nothing',
  'many-sockets': '300 sockets pipeline 57 kB of requests and read nothing',
  'slow-readers': '3,000 slow readers',
  'half-open': '1,000 half-open requests',
  bodies: '200 bodies of 1 MB',
  'endless-form': 'a form without an end, 66 bytes of it',
  designs: '60 designs of 1,000 zeros at once',
  fields: '90,000 fields in a sign-in',
  parts: '20,000 parts in a form',
  'deep-json': 'JSON 500,000 deep',
  'invented-keys': '1,670 invented keys a second',
  'wav-chunks': '2 WAV files a second of 1.4 million empty chunks',
  'long-uploads': '12 forms at a time of 25 FLACs of ten minutes',
  'left-uploads': '29 forms of 10.8 MB, whose client leaves when they are sent',
  'open-bodies': '40 bodies without a length that do not end, from the address of the good client',
  'unspeakable-text':
    'a speech socket a second with 39,000 characters that cannot be spoken, and 40 empty messages',
  'socket-messages': '20 speech sockets that send empty messages as fast as they can',
  'socket-handshakes': '1,000 speech sockets that do not say who they are',
  'unfinished-frames': '300 speech sockets without a key, each with 1 MB of a frame that does not end',
  'unfinished-frames-with-key': '200 of them with a key',
  'empty-frames': '20 speech sockets that send empty continuations and pings as fast as they can',
  'refused-frames': '20 strangers whose frames are refused while more of them wait',
  'screened-texts': 'designs of 1,000 characters of single letters, 4 at a time',
} as const;

/** What the good client does meanwhile, where it is not listing voices: what the attack would delay. */
export const GOOD_CLIENTS: Partial<Record<AttackName, GoodRequest>> = {
  'long-uploads': 'upload',
  'left-uploads': 'upload',
  'open-bodies': 'stream',
  'socket-handshakes': 'page',
};

/** The requests of a good client: see `good-client.ts`. */
export type GoodRequest = 'list' | 'upload' | 'stream' | 'page';

export type AttackName = keyof typeof ATTACKS;

/** The options of `npm run test:attacks`. */
export const ATTACK_OPTIONS = {
  names: chosen(process.env.ATTACK_PARTS ?? 'all'),
  seconds: Number(process.env.ATTACK_SECONDS ?? 10),
};

function chosen(parts: string): AttackName[] {
  const all = Object.keys(ATTACKS) as AttackName[];
  if (parts === 'all') return all;
  const unknown = parts.split(',').filter((part) => !all.some((name) => name === part));
  if (unknown.length > 0)
    throw new Error(`Unknown attack ${unknown.join(', ')}; the attacks are: ${all.join(', ')}.`);
  return parts.split(',') as AttackName[];
}
