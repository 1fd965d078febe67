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

/** How much more often something is as it should be than anything else; most sequences shall come far. */
type Tameness = 1 | 12;

/** Long ones cannot be spoken, or are soon over. An empty one ends a socket. */
const textsOf = (tameness: Tameness) =>
  fc.oneof(
    {
      weight: 8 * tameness,
      arbitrary: fc.constantFrom('Hi. ', 'One. Two. ', 'and then', ' ', '7 €. ', 'Ja! ', 'नमस्ते। '),
    },
    { weight: 1, arbitrary: fc.constant('') },
    { weight: 2, arbitrary: fc.constantFrom(...HOSTILE_TEXTS.filter(({ length }) => length < 60)) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.constantFrom('‹', '"', '\n', '🎈', '\u0301', '<', '日'),
          fc.constantFrom(300, 3_000, 12_000),
        )
        .map(([kind, count]) => kind.repeat(count)),
    },
    { weight: 1, arbitrary: fc.constant('\ud800'.repeat(300)) },
  );
const CONTEXTS = fc.constantFrom('a', 'b', 'c', ...INHERITED_NAMES.slice(0, 3));
const repeated = <const T>(value: T, count: number): T[] => Array<T>(count).fill(value);
const FLAG = fc.constantFrom(true, true, false, null);
const ANYTHING = fc.constantFrom(...HOSTILE_VALUES);

const messagesOf = (tameness: Tameness) => {
  /** Each field as it should be, and now and then as anything else. */
  const orAnything = (arbitrary: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 100 * tameness, arbitrary }, { weight: 1, arbitrary: ANYTHING });
  const orNull = (...values: unknown[]) =>
    orAnything(fc.constantFrom(...repeated(null, 20 * tameness), ...values));
  return fc
    .record(
      {
        text: orAnything(textsOf(tameness)),
        flush: orAnything(FLAG),
        try_trigger_generation: orAnything(FLAG),
        context_id: orAnything(CONTEXTS),
        close_context: orAnything(FLAG),
        voice_settings: orNull({ speed: 1.1 }, { stability: 0.5 }),
        generation_config: orNull({ chunk_length_schedule: [1, 500] }, {}),
        pronunciation_dictionary_locators: orAnything(fc.constantFrom([], null)),
        close_socket: orAnything(fc.constantFrom(...repeated(false, 5 * tameness), true)),
        unknown: fc.constantFrom(null, 1, 'x'),
      },
      { requiredKeys: [] },
    )
    .map((fields): Sent => ({ kind: 'text', text: JSON.stringify(fields) }));
};

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
const raw = (...frames: Buffer[]) =>
  fc.constantFrom(...frames).map((bytes): Sent => ({ kind: 'raw', bytes }));
/** Pings, a pong that was not asked for, and a message in parts, with a ping between them. */
const RAW = raw(
  frame(0x89),
  frame(0x8a, 'pong'),
  Buffer.concat([frame(0x01, '{"te'), frame(0x00), frame(0x89), frame(0x80, 'xt":" "}')]),
  Buffer.concat(Array.from({ length: 300 }, () => frame(0x89, 'x'))),
);
/** Without a mask, of an unknown kind, with reserved bits, a ping in parts, a part of nothing, not UTF-8, too long. */
const BROKEN_RAW = raw(
  Buffer.from([0x81, 0x02, 0x7b, 0x7d]),
  frame(0x83),
  frame(0xf1, '{}'),
  frame(0x09),
  frame(0x80, '{}'),
  Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe]),
  Buffer.concat([Buffer.from([0x81, 0xff]), Buffer.alloc(8, 0x7f), Buffer.alloc(4)]),
  frame(0x88, '\x03'),
  Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x00, 0x01]),
);
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

const sentBy = (tameness: Tameness) =>
  fc.array(
    fc.oneof(
      { weight: 20 * tameness, arbitrary: messagesOf(tameness) },
      { weight: 1, arbitrary: BROKEN_TEXT },
      { weight: tameness, arbitrary: RAW },
      { weight: 1, arbitrary: BROKEN_RAW },
      { weight: 1, arbitrary: BINARY },
    ),
    { maxLength: 4 * tameness + 10, size: 'max' },
  );

/** What clients send, right and wrong, in any order. */
export function socketSequences(): fc.Arbitrary<SocketSequence> {
  return fc.record({
    path: fc.constantFrom('stream-input', 'multi-stream-input'),
    query: fc.oneof({ weight: 12, arbitrary: fc.constant('') }, { weight: 1, arbitrary: QUERY }),
    key: fc.constantFrom(...repeated('header', 18), ...repeated('message', 12), 'query', 'nowhere', 'wrong'),
    sent: fc.oneof({ weight: 5, arbitrary: sentBy(12) }, { weight: 1, arbitrary: sentBy(1) }),
    stays: fc.constantFrom(true, false, false),
  });
}
