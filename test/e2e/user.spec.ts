import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js';
import { TIERS } from '../../libs/domain/accounts/tiers';
import { DESCRIPTION, TEXT } from '../support/samples';
import { Stack } from '../support/stack';

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

const clientOf = (secret: string) => new ElevenLabsClient({ apiKey: secret, baseUrl: stack.baseUrl });

describe('200', () => {
  it('the client library reads the user, with what the account has used', async () => {
    const { accountId, secret } = await stack.issueKey({ tier: 'pro' });
    const client = clientOf(secret);
    await client.textToVoice.design({ voiceDescription: DESCRIPTION, text: TEXT });
    const user = await client.user.get();
    expect(user).toMatchObject({
      userId: accountId,
      seatType: 'workspace_admin',
      isApiKeyHashed: true,
      xiApiKeyPreview: `grk_…${secret.slice(-4)}`,
      subscription: {
        tier: 'pro',
        characterCount: TEXT.length,
        characterLimit: TIERS.pro.credits,
        voiceLimit: TIERS.pro.voiceSlots,
        voiceSlotsUsed: 0,
        status: 'active',
      },
    });
    expect(Math.abs(user.createdAt - Date.now() / 1_000)).toBeLessThan(120);
  });

  it('the client library reads the subscription, and when the credits come back', async () => {
    const { accountId, secret } = await stack.issueKey({ tier: 'free' });
    const subscription = await clientOf(secret).user.subscription.get();
    const [balance] = await stack.dataSource.query<{ period_end: Date }[]>(
      'SELECT period_end FROM credit_balance WHERE subject_id = $1',
      [accountId],
    );
    expect(subscription).toMatchObject({
      tier: 'free',
      status: 'free',
      characterCount: 0,
      nextCharacterCountResetUnix: Math.floor(balance!.period_end.getTime() / 1_000),
      openInvoices: [],
      hasOpenInvoices: false,
      maxCreditLimitExtension: 0,
      currentOverage: { amount: '0' },
    });
  });

  it('a period that has ended counts as rolled over, before anybody spends again', async () => {
    const { accountId, secret } = await stack.issueKey();
    await stack.dataSource.query(
      `UPDATE credit_balance SET used = 99, period_anchor = now() - interval '40 days',
         period_start = now() - interval '40 days', period_end = now() - interval '10 days' WHERE subject_id = $1`,
      [accountId],
    );
    const { body } = await stack.request('GET', '/v1/user/subscription', { secret });
    expect(body.character_count).toBe(0);
    expect(Number(body.next_character_count_reset_unix)).toBeGreaterThan(Date.now() / 1_000);
  });
});

describe('403', () => {
  it('a key without user_read', async () => {
    const { secret } = await stack.issueKey({ permissions: ['voices_read'] });
    for (const path of ['/v1/user', '/v1/user/subscription']) {
      const { status, body } = await stack.request('GET', path, { secret });
      expect([status, body.detail?.status]).toEqual([403, 'missing_permissions']);
    }
  });
});
