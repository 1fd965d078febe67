import type { JsonSchema } from '../../libs/domain/common/json-schema';

const ID = '8c1f1b1e-0b7a-4a63-9d0e-3f5c6a7b8c9d';
const PUBLIC_ID = '21m00Tcm4TlvDq8ikWAM';
const TIME = '2026-11-21T09:30:00.000Z';

/** What a field with such a name may hold, wherever it stands. */
const EXAMPLES: Record<string, unknown> = {
  account_id: ID,
  action: 'key.disabled',
  address: '203.0.113.9',
  api_key_id: ID,
  character_limit: 5000,
  cidr: '203.0.113.0/24',
  created_at: TIME,
  created_at_unix: 1795253400,
  credit_limit: 5000,
  description: 'A warm, deep male narrator with a calm and slow pace, for long documentaries.',
  email: 'ana@example.com',
  first_seen: TIME,
  generated_voice_id: PUBLIC_ID,
  hint: 'grk_…x7Qa',
  key_id: ID,
  labels: { language: 'en', use_case: 'narration' },
  language: 'en-US',
  last_seen: TIME,
  last_used_at: TIME,
  last_used_from: '203.0.113.9',
  media_type: 'audio/mpeg',
  note: 'Office Berlin',
  path: '/v1/models',
  reason: 'Requested by the customer, ticket 4711',
  request_id: '7f3c0b6a9d5e4c1f8a2b3c4d5e6f7081',
  sample_id: PUBLIC_ID,
  service_account_user_id: PUBLIC_ID,
  staff_id: ID,
  text: 'The harbour was quiet that morning, and the boats lay still while the fog moved slowly over the sea.',
  updated_at: TIME,
  voice_description: 'A warm, deep male narrator with a calm and slow pace, for long documentaries.',
  voice_id: PUBLIC_ID,
  voice_name: 'Harbour narrator',
};

/** The schema of a field with an example, where its name and its type suggest one. */
export function withExample(name: string, schema: JsonSchema): JsonSchema {
  const example = EXAMPLES[name];
  const isNotified = schema.examples ?? schema.enum ?? schema.const;
  if (example === undefined || isNotified !== undefined) return schema;
  const types = [schema.type ?? []].flat();
  const fits = types.some((type) => (type === 'integer' ? 'number' : type) === typeof example);
  return fits ? { ...schema, examples: [example] } : schema;
}
