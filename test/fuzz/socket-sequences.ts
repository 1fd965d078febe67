import fc from 'fast-check';
import { HOSTILE_TEXTS, HOSTILE_VALUES, INHERITED_NAMES } from './hostile-values';

/** One thing that a client sends on an open socket: a message, or the bytes of frames as they are. */
export type Sent = { kind: 'text'; text: string } | { kind: 'binary' | 'raw'; bytes: Uint8Array };

/** A client of a speech socket: how it says who it is, and everything that it sends. */
export interface SocketSequence {
  path: 'stream-input' | 'multi-stream-input';
  query: string;
  /** Where its key is, if anywhere. */
  key: 'header' | 'message' | 'query' | 'nowhere' | 'wrong';
  sent: Sent[];
  /** Whether it stays until all is spoken; otherwise it leaves once all was read. */
  stays: boolean;
}

/** Long ones cannot be spoken, or are soon over. */
const TEXTS = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('Hi. ', 'One. Two. ', 'and then', ' ', '', '7 €. ', 'Ja! ', 'नमस्ते। '),
  },
  { weight: 2, arbitrary: fc.constantFrom(...HOSTILE_TEXTS.filter(({ length }) => length < 60)) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('‹', '"', '\n', '🎈', '\u0301', '<', '日', '\ud800'),
        fc.constantFrom(300, 3_000, 12_000),
      )
      .map(([kind, count]) => kind.repeat(count)),
  },
);
const CONTEXTS = fc.constantFrom('a', 'b', 'c', ...INHERITED_NAMES.slice(0, 3));
const repeated = <const T>(value: T, count: number): T[] => Array<T>(count).fill(value);
const FLAG = fc.constantFrom(true, true, false, null);
const ANYTHING = fc.constantFrom(...HOSTILE_VALUES);

/** Each field as it should be, and now and then as anything else. */
const orAnything = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 60, arbitrary }, { weight: 1, arbitrary: ANYTHING });

const MESSAGE = fc
  .record(
    {
      text: orAnything(TEXTS),
      flush: orAnything(FLAG),
      try_trigger_generation: orAnything(FLAG),
      context_id: orAnything(CONTEXTS),
      close_context: orAnything(FLAG),
      voice_settings: orAnything(fc.constantFrom(null, null, { speed: 1.1 }, { stability: 0.5 })),
      generation_config: orAnything(fc.constantFrom(null, { chunk_length_schedule: [1, 500] }, {})),
      pronunciation_dictionary_locators: orAnything(fc.constantFrom([], null)),
      close_socket: orAnything(fc.constantFrom(false, false, false, true)),
      unknown: fc.constantFrom(null, 1, 'x'),
    },
    { requiredKeys: [] },
  )
  .map((fields): Sent => ({ kind: 'text', text: JSON.stringify(fields) }));

const BROKEN_TEXT = fc
  .constantFrom(
    '',
    ' ',
    '{',
    'null',
    '[]',
    '"text"',
    '{"text":"\\ud800"}',
    '{"text":1e999}',
    '{"text":"a"}}',
    '['.repeat(20_000),
  )
  .map((text): Sent => ({ kind: 'text', text }));

/** Frames (RFC 6455, 5.2) with a mask of zeros. */
const frame = (first: number, payload = '', length = payload.length) =>
  Buffer.concat([Buffer.of(first, 0x80 | length), Buffer.alloc(4), Buffer.from(payload)]);
const RAW = fc
  .constantFrom(
    // Pings, a pong that was not asked for, and a message in parts, with a ping between them.
    frame(0x89),
    frame(0x8a, 'pong'),
    Buffer.concat([frame(0x01, '{"te'), frame(0x00), frame(0x89), frame(0x80, 'xt":" "}')]),
    Buffer.concat(Array.from({ length: 300 }, () => frame(0x89, 'x'))),
    // Broken ones: without a mask, of an unknown kind, with reserved bits, a ping in parts, a part of nothing, not UTF-8, too long.
    Buffer.from([0x81, 0x02, 0x7b, 0x7d]),
    frame(0x83),
    frame(0xf1, '{}'),
    frame(0x09),
    frame(0x80, '{}'),
    Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe]),
    Buffer.concat([Buffer.from([0x81, 0xff]), Buffer.alloc(8, 0x7f), Buffer.alloc(4)]),
    frame(0x88, '\x03'),
    Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x00, 0x01]),
  )
  .map((bytes): Sent => ({ kind: 'raw', bytes }));
const BINARY = fc
  .constantFrom(Buffer.from('{"text":" "}'), Buffer.alloc(2_000, 0xff), Buffer.alloc(0))
  .map((bytes): Sent => ({ kind: 'binary', bytes }));

const QUERY = fc
  .dictionary(
    fc.constantFrom(
      'model_id',
      'output_format',
      'inactivity_timeout',
      'auto_mode',
      'sync_alignment',
      'enable_ssml_parsing',
      'seed',
      '__proto__',
    ),
    fc.constantFrom('eleven_flash_v2_5', 'mp3_22050_32', 'pcm_16000', '20', 'true', 'false', '-1', ''),
    { maxKeys: 3 },
  )
  .map((fields) => new URLSearchParams(fields).toString());

/** What clients send, right and wrong, in any order. */
export function socketSequences(): fc.Arbitrary<SocketSequence> {
  const sent = fc.oneof(
    { weight: 20, arbitrary: MESSAGE },
    { weight: 1, arbitrary: BROKEN_TEXT },
    { weight: 2, arbitrary: RAW },
    { weight: 1, arbitrary: BINARY },
  );
  return fc.record({
    path: fc.constantFrom('stream-input', 'multi-stream-input'),
    query: fc.oneof({ weight: 6, arbitrary: fc.constant('') }, { weight: 1, arbitrary: QUERY }),
    key: fc.constantFrom(...repeated('header', 6), ...repeated('message', 4), 'query', 'nowhere', 'wrong'),
    sent: fc.array(sent, { maxLength: 12 }),
    stays: fc.boolean(),
  });
}
