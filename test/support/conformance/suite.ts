import { ElevenLabsError, type ElevenLabsClient } from '@elevenlabs/elevenlabs-js';
import type { Stack } from '../stack';
import { DRIVES, type Drive } from './operations';
import { describedOperations, Outcomes } from './outcomes';
import { World } from './world';

const OF_OTHER_CLIENTS = [
  'POST /v1/text-to-voice/create-voice-from-preview',
  'GET /v1/text-to-voice/previews',
  'POST /v1/voices/{voice_id}/review/appeal',
  'GET /v1/voices/{voice_id}/review/appeal',
  'POST /v1/workspaces/api-keys/third-party-disabling',
  'GET /v1/workspace/api-key',
];

/** Refusals that the library cannot be brought to cause, or that need a part to be down. */
const NOT_DRIVEN = [
  'bad_request',
  'malformed_json',
  'request_timeout',
  'request_too_large',
  'invalid_content_type',
  'uri_too_long',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
  'system_busy',
  'other_cell',
  // The library always sends a key, and an account does not go away while its key is in use.
  'missing_api_key',
  'invalid_authorization_header',
  'account_not_found',
  'account_closed',
  // Of budgets, which `budgets` drives.
  'budget_spent',
  // Of the lists that staff give a key, which `key-uses` drives.
  'model_not_allowed',
  'voice_not_allowed',
  // Of the lists that staff keep, which `screening` drives.
  'blocked_generation',
  // Rules of the same code for staff.
  'precondition_failed',
  'confirmation_required',
  'status_unchanged',
  'forbidden',
  // Of two requests at once with one key, which `idempotency` drives.
  'idempotency_key_claimed',
  // Of previews that are still being spoken, or could not be.
  'preview_not_ready',
  // Of several at once; and of what the library does not send.
  'concurrent_limit_exceeded',
  'invalid_single_use_token',
  'preview_failed',
  // Of hundreds of requests or objects, which `hostile-clients` and `key-grants` send.
  'too_many_failed_credentials',
  'too_many_headers',
  'too_much_unread',
  'too_many_large_bodies',
  // Of eight uploads at once, which `recording-uploads` sends.
  'too_many_uploads',
  // Of keys and webhooks that a file of keys manages: the int suite `key-files` has it.
  'managed_by_file',
  // Of a name that only staff and files of keys give a key.
  'external_id_in_use',
  'key_generation_limit_reached',
  'service_account_key_limit_reached',
  'single_use_token_limit_reached',
  // The key that calls was deleted in the meantime.
  'POST /v1/service-accounts/{service_account_user_id}/api-keys: api_key_not_found',
  // The library itself refuses any other word than "self"; and the key that calls exists.
  'POST /v1/workspaces/api-keys/disable: validation',
  'POST /v1/workspaces/api-keys/disable: api_key_not_found',
  // Where TEXT_TO_SPEECH is off.
  ...describedOperations()
    .filter(({ operation }) => /\/(text-to-speech|history)\b/.test(operation))
    .map(({ operation }) => `${operation}: not_found`),
  // Where the `preview_url` of a voice leads: a plain address, for players.
  ...describedOperations()
    .filter(({ operation }) => operation === 'GET /v1/voices/{voice_id}/preview')
    .flatMap(({ operation, codes }) => ['200', ...codes].map((outcome) => `${operation}: ${outcome}`)),
  // The newest library calls the newer path, and knows no list of previews, no policy of keys, no appeals and not
  // what the calling key may do; `other-clients`, `key-policy`, `review-desk` and `key-uses` have these.
  ...describedOperations()
    .filter(({ operation }) => OF_OTHER_CLIENTS.includes(operation))
    .flatMap(({ operation, codes }) => ['200', ...codes].map((outcome) => `${operation}: ${outcome}`)),
  // Refused whatever the library sends.
  ...DRIVES.filter(({ always }) => always !== undefined).map(({ operation }) => `${operation}: 200`),
  'POST /v1/single-use-token/{token_type}: insufficient_permissions',
  // Its code can refuse an input, but it has none.
  'DELETE /v1/voices/{voice_id}: validation',
  'DELETE /v1/service-accounts/{service_account_user_id}/api-keys/{api_key_id}: validation',
  'DELETE /v1/service-accounts/{service_account_user_id}/api-keys/{api_key_id}: key_too_free',
  'PATCH /v1/workspace/webhooks/{webhook_id}: webhook_url_refused',
];

const patternOf = ({ operation }: Drive) =>
  new RegExp(`^${operation.split(' ')[1]!.replace(/\{\w+\}/g, '[^/]+')}$`);

async function refusalOf(
  promise: Promise<unknown>,
): Promise<{ status?: number; code: string; name: string }> {
  const error = await promise.then(
    () => new Error('It was not refused.'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ElevenLabsError)) throw error as Error;
  const { detail } = error.body as { detail: { code: string } | object[] };
  const code = Array.isArray(detail) ? 'validation' : detail.code;
  return { status: error.statusCode, code, name: error.constructor.name };
}

const SUCCEEDING = DRIVES.filter(({ always }) => always === undefined);

/** A network on which the first response is a refusal, which the request never caused. */
function refusingOnce(status: number): typeof fetch {
  let refused = false;
  return async (input, init) => {
    if (refused) return fetch(input, init);
    refused = true;
    return Response.json({ detail: {} }, { status, headers: { 'retry-after': '1' } });
  };
}

/**
 * Holds an installation to what the official library reads: every operation that is offered, and every refusal that it can meet.
 *
 * @param start of an installation without a worker; it is stopped in the end
 */
export function itConforms(start: () => Promise<Stack>): void {
  let stack: Stack;
  let world: World;
  const outcomes = new Outcomes();

  beforeAll(async () => {
    stack = await start();
    world = await World.create(stack);
  });

  afterAll(async () => {
    await stack.stop();
    process.stdout.write(`\n${outcomes.toTable()}\n\n`);
  });

  const prepare = async (drive: Drive) => (await drive.prepare?.(world)) ?? '';

  const call = async (drive: Drive, client: ElevenLabsClient) =>
    drive.call(client, world, await prepare(drive));

  async function expectRefusal(
    drive: Drive,
    promise: Promise<unknown>,
    status: number,
    code: string,
  ): Promise<void> {
    expect(await refusalOf(promise)).toMatchObject({ status, code });
    outcomes.add(drive.operation, code);
  }

  describe.each(SUCCEEDING)('$operation', (drive) => {
    it('returns what the library reads, with its headers', async () => {
      const client = await world.clientWith({});
      const prepared = await prepare(drive);
      const { data, rawResponse } = await drive.call(client, world, prepared).withRawResponse();
      expect(new URL(rawResponse.url).pathname).toMatch(patternOf(drive));
      outcomes.add(drive.operation, String(rawResponse.status));
      expect(data).toBeDefined();
      for (const name of ['x-request-id', ...(drive.headers ?? [])])
        expect(rawResponse.headers.get(name)).toBeTruthy();
      if (drive.operation.endsWith('/stream/with-timestamps')) {
        let lines = 0;
        for await (const line of data as AsyncIterable<object>) lines += Object.keys(line).length > 0 ? 1 : 0;
        outcomes.add(drive.operation, lines > 0 ? 'streamed' : 'cut off');
      }
      if (!(data instanceof ReadableStream)) return;
      const { byteLength } = await new Response(data).arrayBuffer();
      outcomes.add(drive.operation, byteLength > 10_000 ? 'streamed' : 'cut off');
    });
  });

  describe.each(DRIVES.filter(({ open }) => open !== 'to everybody'))('$operation', (drive) => {
    it('refuses an unknown key, an address that is not listed, too many requests and a key without the permission', async () => {
      await expectRefusal(drive, call(drive, world.stranger()), 401, 'invalid_api_key');
      const elsewhere = await world.clientWith({ allowedIps: ['203.0.113.0/24'] });
      await expectRefusal(drive, call(drive, elsewhere), 403, 'ip_not_allowed');
      const limited = await world.clientWith({ requestsPerMinute: 1 });
      await limited.models.list();
      await expectRefusal(drive, call(drive, limited), 429, 'rate_limit_exceeded');
      if (drive.open !== undefined) return;
      const other = await world.clientWith({ permissions: ['flows'] });
      await expectRefusal(drive, call(drive, other), 403, 'insufficient_permissions');
    });
  });

  describe.each(DRIVES.filter(({ refusals }) => refusals.length > 0))(
    '$operation',
    ({ operation, refusals }) => {
      it.each(refusals)('refuses with $code', async ({ code, error, ...refusal }) => {
        expect(await refusalOf(refusal.call(world))).toMatchObject({
          code,
          name: error ?? 'ElevenLabsError',
        });
        outcomes.add(operation, code);
      });
    },
  );

  it('every operation is tried again by the library after a 429 and a 503, as soon as their headers allow', async () => {
    const attempts = SUCCEEDING.flatMap((drive) => [429, 503].map((status) => ({ drive, status })));
    // Each waits for a second.
    const customer = async () => {
      for (let next = attempts.pop(); next; next = attempts.pop()) {
        await call(next.drive, await world.clientOver(refusingOnce(next.status)));
        outcomes.add(next.drive.operation, `again after ${next.status}`);
      }
    };
    await Promise.all(Array.from({ length: 24 }, customer));
  });

  it('a voice whose response was lost is not created twice when the library retries', async () => {
    const own = await world.another();
    let responses = 0;
    const client = await own.clientOver(async (input, init) => {
      const response = await fetch(input, init);
      responses += 1;
      return responses === 1 ? Response.json({ detail: {} }, { status: 503 }) : response;
    });
    await client.textToVoice.create({
      voiceName: 'Once',
      voiceDescription: 'A voice that must not be created twice, whatever happens.',
      generatedVoiceId: await own.preview(),
    });
    const voices = await stack.dataSource.query<object[]>('SELECT 1 FROM voice WHERE account_id = $1', [
      own.key.accountId,
    ]);
    expect([responses, voices.length]).toEqual([2, 2]);
  });

  it('every operation that is offered was driven, and every refusal that it can meet', () => {
    const missing = describedOperations().flatMap(({ operation, codes }) =>
      [
        '200',
        ...(operation.endsWith('/audio') || operation.endsWith('/stream') ? ['streamed'] : []),
        ...codes,
      ]
        .filter((outcome) => !NOT_DRIVEN.includes(outcome) && !outcomes.has(operation, outcome))
        .map((outcome) => `${operation}: ${outcome}`)
        .filter((outcome) => !NOT_DRIVEN.includes(outcome)),
    );
    expect(missing).toEqual([]);
  });
}
