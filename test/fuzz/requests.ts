import fc, { type Arbitrary } from 'fast-check';
import {
  HOSTILE_BODIES,
  HOSTILE_FORMS,
  HOSTILE_HEADERS,
  HOSTILE_MEDIA_TYPES,
  HOSTILE_SEGMENTS,
  HOSTILE_TEXTS,
  HOSTILE_VALUES,
  INHERITED_NAMES,
} from './hostile-values';
import { WAYS, type Way } from './send';
import { OPERATIONS, resolved, type Operation, type Schema } from './operations';

/**
 * A request that may be sent again from its text. `<own voice_id>` in it stands for what the world that it is sent to has
 * of that name, so that a request does not depend on the ids of a run.
 */
export interface FuzzRequest {
  operation: string;
  method: string;
  /** With its query. */
  path: string;
  headers: [string, string][];
  /** Whose request it is. */
  caller: Caller;
  /** JSON or a form as text, anything else as bytes. */
  body: string | Uint8Array | null;
  /** How it is sent: like a client's, or on a connection of its own. */
  way: 'alone' | Way;
  /** Instead of the cursor that the list of this operation has given: the same with another position. */
  cursor: { part: number; value: unknown } | null;
}

export const CALLERS = [
  'right',
  'other account',
  'other role',
  'nobody',
  'unknown',
  'of another kind',
] as const;
export type Caller = (typeof CALLERS)[number];

/** Operations that take a thousand times as long as the others. */
export const SPEAKS = /text-to-voice\/(design|create-previews|.*\/remix)$|text-to-speech\//;
const ENDLESS = /\/(events|stream)$/;
const METHODS = ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'POST', 'GET'];
const MAX_ITEMS = 4;
/** Names of inputs that carry an id under another name. */
const ALIASES: Record<string, string> = {
  played_not_selected_voice_ids: 'generated_voice_id',
  voice_ids: 'voice_id',
  token: 'secret',
  api_key_name: 'secret',
  target: 'key_id',
  actor: 'staff_id',
};

/** What else an account or a person has that stands in inputs. */
const OTHER_BELONGINGS = ['secret', 'email', 'password', 'url'];

/** Requests to every operation: mostly what it takes, with something wrong in most of them. */
export function requests(): Arbitrary<FuzzRequest> {
  return fc.oneof(
    ...OPERATIONS.map((operation) => ({
      arbitrary: requestTo(operation),
      weight: SPEAKS.test(operation.name) ? 1 : 4,
    })),
  );
}

function requestTo(operation: Operation): Arbitrary<FuzzRequest> {
  const inPath = operation.parameters.filter((each) => each.in === 'path');
  const inQuery = operation.parameters.filter((each) => each.in === 'query');
  return fc
    .record({
      segments: fc.tuple(...inPath.map(({ name, schema }) => segmentOf(name, schema))),
      query: queryOf(inQuery),
      method: mostly(8, fc.constant(operation.method), fc.constantFrom(...METHODS)),
      caller: mostly(8, fc.constant<Caller>('right'), fc.constantFrom(...CALLERS)),
      headers: headersOf(operation),
      body: bodyOf(operation),
      way: wayOf(operation),
      cursor: inQuery.some(({ name }) => name === 'cursor' || name === 'next_page_token')
        ? fc.option(fc.record({ part: fc.nat(3), value: partOfCursor() }), { freq: 4 })
        : fc.constant(null),
    })
    .map(({ segments, query, method, caller, headers, body, way, cursor }) => ({
      operation: operation.name,
      method,
      path: fillPath(operation.path, inPath, segments) + query,
      headers: [
        ...headers,
        ...(body.mediaType === null ? [] : [['content-type', body.mediaType] as [string, string]]),
      ],
      caller,
      body: body.content,
      way,
      cursor,
    }));
}

/** Events never end, and speech takes long: their requests are sent alone. What stays unread must be free to end at any time. */
function wayOf({ name, method, path }: Operation): Arbitrary<'alone' | Way> {
  const alone = fc.constant<'alone' | Way>('alone');
  if (SPEAKS.test(name) || ENDLESS.test(name)) return alone;
  const changesNothing = method === 'GET' && path.startsWith('/v1/');
  return mostly(24, alone, fc.constantFrom(...WAYS.filter((way) => way !== 'unread' || changesNothing)));
}

function fillPath(path: string, parameters: Operation['parameters'], segments: string[]): string {
  return parameters.reduce(
    (filled, { name }, index) => filled.replace(`{${name}}`, () => segments[index]!),
    path,
  );
}

function segmentOf(name: string, schema: Schema): Arbitrary<string> {
  const known = fc.constantFrom(...[1, 2, 3].map(() => `<own ${name}>`), `<other ${name}>`).map(encode);
  const texts = valid(name, schema).map(String);
  return mostly(
    6,
    known,
    fc.oneof(fc.oneof(texts, hostileText()).map(encode), fc.constantFrom(...HOSTILE_SEGMENTS)),
  );
}

function queryOf(parameters: Operation['parameters']): Arbitrary<string> {
  if (parameters.length === 0)
    return mostly(20, fc.constant(''), fc.constantFrom('?a=b', '?%=%', '?', '?single_use_token=grt_0'));
  const pair = fc
    .constantFrom(...parameters)
    .chain(({ name, schema }) =>
      mostly(3, valid(name, schema).map(String), hostileText()).map((value) => `${name}=${encode(value)}`),
    );
  const odd = fc.constantFrom(
    'a=b',
    'limit',
    'limit=%',
    'sort[]=x',
    'cursor=%00',
    ...INHERITED_NAMES.map((name) => `${name}=1`),
    'constructor[prototype]=1',
    'search=%ff',
    '&&',
  );
  const required = parameters.filter((each) => each.required);
  return fc
    .tuple(
      mostly(
        9,
        fc.tuple(
          ...required.map(({ name, schema }) =>
            valid(name, schema).map((value) => `${name}=${encode(String(value))}`),
          ),
        ),
        fc.constant([] as string[]),
      ),
      fc.array(mostly(12, pair, odd), { maxLength: 3 }),
    )
    .map(([first, more]) => [...first, ...more].join('&'))
    .map((query) => (query === '' ? '' : `?${query}`));
}

function headersOf({ parameters }: Operation): Arbitrary<[string, string][]> {
  const declared = parameters
    .filter((each) => each.in === 'header')
    .map(({ name }): Arbitrary<[string, string][]> => {
      const usual = name === 'If-Match' ? fc.constantFrom('*', '*', '*', '"1"', '"2"') : fc.uuid();
      return fc
        .option(usual, { freq: 8 })
        .map((value) => (value === null ? [] : [[name.toLowerCase(), value]]));
    });
  const odd = mostly(
    5,
    fc.constant([] as [string, string][]),
    fc.array(fc.constantFrom(...HOSTILE_HEADERS), { minLength: 1, maxLength: 2 }),
  );
  return fc.tuple(...declared, odd).map((parts) => parts.flat());
}

const FORM_TYPES = [
  'multipart/form-data; boundary=x',
  'multipart/form-data; boundary=y',
  'multipart/form-data; boundary="x"; charset=utf-16',
  'multipart/form-data',
];

interface Body {
  mediaType: string | null;
  content: string | Uint8Array | null;
}

function bodyOf({ method, bodies }: Operation): Arbitrary<Body> {
  const none = fc.constant<Body>({ mediaType: null, content: null });
  const odd = fc.record({
    mediaType: fc.option(fc.constantFrom('application/json', ...HOSTILE_MEDIA_TYPES)),
    content: fc.constantFrom(...HOSTILE_BODIES),
  });
  if (bodies.length === 0) return mostly(method === 'GET' ? 30 : 8, none, odd);
  const described = fc
    .constantFrom(...bodies)
    .chain(([mediaType, schema]) => spoiled(resolved(schema)).map((value) => encodeBody(mediaType, value)));
  const isForm = bodies.some(([mediaType]) => mediaType === 'multipart/form-data');
  return mostly(isForm ? 2 : 12, described, fc.oneof(none, odd, ...(isForm ? [brokenForm(described)] : [])));
}

/** A form that ends too early, has another boundary than its type says, or is one that is known to be hard. */
function brokenForm(described: Arbitrary<Body>): Arbitrary<Body> {
  const cut = fc
    .tuple(described, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([{ mediaType, content }, share]) => ({
      mediaType,
      content: content && content.slice(0, Math.floor(content.length * share)),
    }));
  const other = fc.record({
    mediaType: fc.constantFrom(...FORM_TYPES),
    content: described.map(({ content }) => content),
  });
  const hard = fc.record({
    mediaType: fc.constant(FORM_TYPES[0]!),
    content: fc.constantFrom(...HOSTILE_FORMS),
  });
  return fc.oneof(cut, other, hard);
}

function encodeBody(mediaType: string, value: unknown): Body {
  if (mediaType === 'application/json') return { mediaType, content: JSON.stringify(value) };
  const entries = Object.entries(value ?? {}).map(([name, entry]): [string, string] => [
    name.toWellFormed(),
    typeof entry === 'string' ? entry : JSON.stringify(entry),
  ]);
  if (mediaType.startsWith('application/'))
    return { mediaType, content: new URLSearchParams(entries).toString() };
  const { files } = (value ?? {}) as { files?: unknown };
  const parts = [
    ...entries
      .filter(([name]) => name !== 'files' || !Array.isArray(files))
      .map(([name, text]) => formPart(`name=${JSON.stringify(name)}`, text)),
    ...(Array.isArray(files) ? files : []).map((file) =>
      formPart('name="files"; filename="take.wav"', String(file)),
    ),
  ];
  return { mediaType: FORM_TYPES[0]!, content: `${parts.join('')}--x--\r\n` };
}

function formPart(disposition: string, content: string): string {
  return `--x\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
}

/** What a schema takes; in two of three cases with up to two inputs spoiled, left out or added. */
function spoiled(schema: Schema): Arbitrary<unknown> {
  const names = [...Object.keys(schema.properties ?? {}), 'unknown_field', ...INHERITED_NAMES];
  const change = fc.record({
    name: fc.constantFrom(...names),
    value: fc.option(hostileValue(), { freq: 5 }),
  });
  const changes = fc.oneof(
    fc.constant([]),
    fc.array(change, { maxLength: 2 }),
    fc.array(change, { minLength: 1, maxLength: 2 }),
  );
  const body = fc.tuple(valid('', schema), changes).map(([value, spoils]) => {
    const copy = new Map(Object.entries(value as object));
    for (const { name, value: spoil } of spoils) {
      if (spoil === null) copy.delete(name);
      else copy.set(name, spoil);
    }
    return Object.fromEntries(copy);
  });
  return mostly(25, body, hostileValue());
}

/** Values that a schema takes, bounds more often than not. */
function valid(name: string, input: Schema): Arbitrary<unknown> {
  const schema = resolved(input);
  const id = ALIASES[name] ?? name;
  if (id.endsWith('_id') || OTHER_BELONGINGS.includes(id))
    return (
      schema.type === 'array'
        ? fc.constant([`<own ${id}>`])
        : fc.constantFrom(`<own ${id}>`, `<own ${id}>`, `<other ${id}>`)
    ) as Arbitrary<unknown>;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => valid(name, each)));
  const types = [schema.type ?? 'string'].flat();
  return fc.oneof(...types.map((type) => ofType(type, name, schema)));
}

function ofType(type: string, name: string, schema: Schema): Arbitrary<unknown> {
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return within(schema, (range) => fc.integer(range));
  if (type === 'number') return within(schema, ({ min, max }) => fc.double({ min, max, noNaN: true }));
  if (type === 'array') {
    const { minItems = 0, maxItems = MAX_ITEMS } = schema;
    return fc.array(valid(name, schema.items ?? {}), {
      minLength: minItems,
      maxLength: Math.max(minItems, Math.min(MAX_ITEMS, maxItems)),
    });
  }
  if (type === 'object') return objectOf(schema);
  return text(schema);
}

function within(
  { minimum = -1_000_000, maximum = 1_000_000 }: Schema,
  between: (range: { min: number; max: number }) => Arbitrary<number>,
): Arbitrary<number> {
  const small = Math.min(maximum, Math.max(minimum, 1) + 50);
  return fc.oneof(
    fc.constantFrom(minimum, maximum),
    between({ min: minimum, max: small }),
    between({ min: minimum, max: maximum }),
  );
}

function text({ minLength = 0, maxLength = 60, pattern, examples = [] }: Schema): Arbitrary<string> {
  const [min, max] = [minLength, Math.max(minLength, Math.min(maxLength, minLength + 30))];
  const kinds: Arbitrary<string>[] = [
    fc.string({ unit: 'grapheme', minLength: min, maxLength: max }),
    fc.constantFrom('x'.repeat(min), 'x'.repeat(Math.min(maxLength, 25_000)), 'Ticket 4711 of the customer'),
  ];
  const known = examples.filter((each): each is string => typeof each === 'string');
  if (known.length > 0) kinds.push(fc.constantFrom(...known), fc.constantFrom(...known));
  if (pattern) kinds.splice(0, 2, fc.stringMatching(new RegExp(pattern)));
  return fc.oneof(...kinds);
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema): Arbitrary<object> {
  if (typeof additionalProperties === 'object')
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), valid('', additionalProperties), {
      maxKeys: MAX_ITEMS,
    });
  const fields = Object.entries(properties).map(([name, schema]) => [name, valid(name, schema)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: required });
}

const hostileText = () =>
  fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: 'binary', maxLength: 20 }));

const hostileValue = () =>
  fc.oneof(hostileText(), fc.constantFrom(...HOSTILE_VALUES), fc.double(), fc.jsonValue({ maxDepth: 3 }));

const partOfCursor = () =>
  fc.oneof(hostileText(), fc.constantFrom<unknown>(null, 0, -1, 1.5, 2 ** 53, 1e308, true, [], {}));

const mostly = <T>(weight: number, usual: Arbitrary<T>, odd: Arbitrary<T>): Arbitrary<T> =>
  fc.oneof({ arbitrary: usual, weight }, { arbitrary: odd, weight: 1 });

/** For a URL; half an emoji cannot be written there. */
const encode = (value: string) => encodeURIComponent(value.toWellFormed());
