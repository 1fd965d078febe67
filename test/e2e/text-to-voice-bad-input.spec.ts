import { creditsUsed, framesOf, makeVoice, previewsOf } from '../support/previews';
import { DESCRIPTION, TEXT } from '../support/samples';
import { Stack, type IssuedKey } from '../support/stack';

let stack: Stack;
let key: IssuedKey;
let voiceId: string;
let before: number;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  key = await stack.issueKey({ tier: 'enterprise' });
  ({ voiceId } = await makeVoice(stack, key.secret));
  before = await creditsUsed(stack, key.keyId);
});

afterAll(async () => {
  await stack.stop();
});

/** A value that is refused, and the type of the finding that says so. */
type Refused = readonly [label: string, value: unknown, type: string];
type Rows = Record<string, readonly Refused[]>;

const long = (length: number) => 'x'.repeat(length);
/** What else is no text or number, `libs/domain/common/field-checks.spec.ts` has. */
const text = (min: number, max: number): Refused[] => [
  ['a number', 12, 'string_type'],
  [`${min - 1} characters`, long(min - 1), 'string_too_short'],
  [`${max + 1} characters`, long(max + 1), 'string_too_long'],
  ['half an emoji', `${long(min)}\ud83d`, 'string_unicode'],
];
const number = (min: number, max: number): Refused[] => [
  ['a text', 'half', 'float_type'],
  ['just below its bound', min - 0.01, 'greater_than_equal'],
  ['just above its bound', max + 0.01, 'less_than_equal'],
];
const flag: Refused[] = [['a text', 'perhaps', 'bool_type']];

const GENERATION: Rows = {
  text: text(100, 1_000),
  auto_generate_text: flag,
  loudness: number(-1, 1),
  guidance_scale: number(0, 100),
  seed: [
    ['a fraction', 1.5, 'int_from_float'],
    ['-1', -1, 'greater_than_equal'],
    ['2^31', 2 ** 31, 'less_than_equal'],
  ],
};
const SESSION: Rows = {
  stream_previews: flag,
  remixing_session_id: text(1, 200),
  remixing_session_iteration_id: text(1, 200),
  prompt_strength: number(0, 1),
};
const description = (min: number): Rows => ({
  voice_description: [...text(min, 1_000), ['missing', undefined, 'missing']],
});

const OPERATIONS: Record<string, { path: () => string; rows: Rows }> = {
  design: {
    path: () => 'design',
    rows: {
      ...description(20),
      ...GENERATION,
      ...SESSION,
      should_enhance: flag,
      quality: number(-1, 1),
      model_id: [['unknown', 'eleven_v9', 'enum']],
      reference_audio_base64: [
        ['empty', '', 'value_error'],
        ['no base64', 'not base64!', 'value_error'],
      ],
    },
  },
  remix: { path: () => `${voiceId}/remix`, rows: { ...description(5), ...GENERATION, ...SESSION } },
  'create-previews': {
    path: () => 'create-previews',
    rows: { ...description(20), ...GENERATION, should_enhance: flag, quality: number(-1, 1) },
  },
};

const send = (operation: string, changes: Record<string, unknown>, query = '') =>
  stack.request('POST', `/v1/text-to-voice/${OPERATIONS[operation]!.path()}${query}`, {
    secret: key.secret,
    body: { voice_description: DESCRIPTION, text: TEXT, seed: 7, ...changes },
  });

describe.each(Object.keys(OPERATIONS))('%s', (operation) => {
  const cases = Object.entries(OPERATIONS[operation]!.rows).flatMap(([field, refused]) =>
    refused.map(([label, value, type]) => [field, label, value, type] as const),
  );

  it.each(cases)('422: %s is %s', async (field, _label, value, type) => {
    const { status, body } = await send(operation, { [field]: value });
    expect(status).toBe(422);
    expect(body.detail).toEqual([expect.objectContaining({ type, loc: ['body', field] })]);
    expect(body.detail?.[0]?.msg).toEqual(expect.any(String));
  });

  it('422: a query key that is unknown as a value, empty or repeated', async () => {
    for (const query of [
      '?output_format=wav',
      '?output_format=',
      '?output_format=pcm_8000&output_format=pcm_8000',
    ])
      expect((await send(operation, {}, query)).status).toBe(422);
  });

  it('400: neither a text nor the wish for one', async () => {
    const { status, body } = await send(operation, { text: null });
    expect(status).toBe(400);
    expect(body.detail).toMatchObject({ code: 'missing_preview_text' });
  });

  it('413: ten megabytes', async () => {
    expect((await send(operation, { other: long(10_000_000) })).status).toBe(413);
  });

  it('422: a text that cannot be spoken', async () => {
    expect((await send(operation, { text: '😀'.repeat(100) })).status).toBe(422);
  });

  it('none of these has cost anything', async () => {
    expect(await creditsUsed(stack, key.keyId)).toBe(before);
  });
});

describe.each(Object.keys(OPERATIONS))('%s takes', (operation) => {
  it('values at every bound, unknown fields and null where it means "none"', async () => {
    const nulls = { remixing_session_id: null, remixing_session_iteration_id: null, prompt_strength: null };
    const low = { loudness: -1, guidance_scale: 0, quality: -1, seed: 0, ...nulls, colour: { deep: [1] } };
    const high = {
      loudness: 1,
      guidance_scale: 100,
      quality: 1,
      seed: 2_147_483_647,
      voice_description: long(1_000),
    };
    for (const changes of [low, high]) expect((await send(operation, changes)).status).toBe(200);
  });
});

it('create-previews ignores what only a design has, and keeps its own quality', async () => {
  const old = await send('create-previews', { stream_previews: true, model_id: 'eleven_v9' });
  const now = await send('design', { quality: 0.9 });
  expect(old.status).toBe(200);
  expect(previewsOf(old).map(framesOf)).toEqual(previewsOf(now).map(framesOf));
});
