import { randomUUID } from 'node:crypto';
import { DESCRIPTION, TEXT } from '../support/samples';
import { Stack, type IssuedKey, type JsonBody } from '../support/stack';
import { ANY_VERSION, StaffClient } from '../support/staff-client';
import { speechFile, storeVoice } from '../support/stored-voices';

const reason = 'A test';

let stack: Stack;
let support: StaffClient;
let key: IssuedKey;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  support = await StaffClient.signedIn(stack, 'support');
  key = await stack.issueKey();
});
afterAll(() => stack.stop());

interface Entry {
  id: string;
  text: string;
}

const add = (list: string, text: string, more: object = {}) =>
  support.post('/admin/screening/entries', { list, text, reason, ...more });
const entries = async () => (await support.get('/admin/screening')).body.items as Entry[];
const design = (body: JsonBody = {}) =>
  stack.request('POST', '/v1/text-to-voice/design', {
    secret: key.secret,
    body: { voice_description: DESCRIPTION, text: TEXT, ...body },
  });
const edit = (voiceId: string, name: string, { secret } = key) => {
  const form = new FormData();
  form.set('name', name);
  return fetch(`${stack.baseUrl}/v1/voices/${voiceId}/edit`, {
    method: 'POST',
    headers: { 'xi-api-key': secret },
    body: form,
  });
};
const creditsOf = async () =>
  (await stack.request('GET', '/v1/user/subscription', { secret: key.secret })).body.character_count;

describe('what a customer writes', () => {
  it('is screened after its credits: a request that cannot be paid for is refused for that, and costs no screening', async () => {
    await add('blocked_words', 'scallywag');
    const { secret } = await stack.issueKey({ creditLimit: 1 });
    const refused = await stack.request('POST', '/v1/text-to-voice/design', {
      secret,
      body: { voice_description: `${DESCRIPTION} He is a scallywag.`, text: TEXT },
    });
    expect([refused.status, refused.body.detail?.code]).toEqual([402, 'insufficient_credits']);
    const blocked = await design({ voice_description: `${DESCRIPTION} He is a scallywag.` });
    expect([blocked.status, blocked.body.detail?.code]).toEqual([403, 'blocked_generation']);
  });

  it('is refused in the shape of the contract before anything is generated or charged', async () => {
    await add('blocked_words', 'scoundrel');
    const before = await creditsOf();
    for (const [field, text] of [
      ['voice_description', `${DESCRIPTION} He is a ѕсоundrеl.`],
      ['text', `${TEXT} Oh, what a $c0undre1.`],
    ] as const) {
      const refused = await design({ [field]: text });
      expect(refused.status).toBe(403);
      expect(refused.body.detail).toMatchObject({
        type: 'authorization_error',
        code: 'blocked_generation',
        status: 'blocked_generation',
        message:
          "Sorry, this prompt potentially doesn't follow our safety guidelines and therefore has been blocked.",
        param: field,
      });
    }
    expect(await creditsOf()).toBe(before);
    const designed = await design();
    expect(designed.status).toBe(200);
    const [preview] = designed.body.previews as { generated_voice_id: string }[];
    const body = { voice_description: DESCRIPTION, generated_voice_id: preview!.generated_voice_id };
    const create = (name: string) =>
      stack.request('POST', '/v1/text-to-voice', { secret: key.secret, body: { ...body, voice_name: name } });
    const refused = await create('S c o u n d r e l');
    expect(refused.body.detail).toMatchObject({ code: 'blocked_generation', param: 'voice_name' });
    const created = await create('Scoundrelly');
    expect(created.status).toBe(200);
    expect((await edit(created.body.voice_id as string, 'Ｓｃｏｕｎｄｒｅｌ')).status).toBe(403);
    expect((await edit(created.body.voice_id as string, 'Keeper')).status).toBe(200);
  });

  it('is free again as soon as the entry is removed', async () => {
    await add('blocked_words', 'rascal');
    const description = `${DESCRIPTION} A rascal.`;
    expect((await design({ voice_description: description })).status).toBe(403);
    const entry = (await entries()).find(({ text }) => text === 'rascal')!;
    expect(
      (await support.send('DELETE', `/admin/screening/entries/${entry.id}`, { reason }, ANY_VERSION)).status,
    ).toBe(200);
    expect((await design({ voice_description: description })).status).toBe(200);
  });

  it('that was accepted once gets the same response when it is sent again, whatever was listed since', async () => {
    const designed = await design();
    const [first, second] = designed.body.previews as { generated_voice_id: string }[];
    const create = (generatedVoiceId: string, headers: Record<string, string> = {}) => {
      const body = {
        voice_name: 'Old rogue',
        voice_description: DESCRIPTION,
        generated_voice_id: generatedVoiceId,
      };
      return stack.request('POST', '/v1/text-to-voice', { secret: key.secret, body, headers });
    };
    const manager = await StaffClient.signedIn(stack, 'account_manager');
    const consent = `/admin/accounts/${key.accountId}/recordings-consent`;
    await manager.send('PUT', consent, { given: true, reason }, { 'if-match': '*' });
    const file = new Blob([new Uint8Array(speechFile())]);
    const upload = async (headers: Record<string, string>) => {
      const form = new FormData();
      form.set('name', 'Old rogue');
      form.set('files', file, 'a.wav');
      const sent = { method: 'POST', headers: { 'xi-api-key': key.secret, ...headers }, body: form };
      const response = await fetch(`${stack.baseUrl}/v1/voices/add`, sent);
      return { status: response.status, text: await response.text() };
    };
    const keyed = { 'idempotency-key': randomUUID() };
    const keyedUpload = { 'idempotency-key': randomUUID() };
    const [created, added] = [await create(first!.generated_voice_id, keyed), await upload(keyedUpload)];
    expect([created.status, added.status]).toEqual([200, 200]);
    await add('blocked_words', 'rogue');
    expect(await create(first!.generated_voice_id, keyed)).toMatchObject({ status: 200, body: created.body });
    const unkeyed = await create(first!.generated_voice_id);
    expect([unkeyed.status, unkeyed.body.voice_id]).toEqual([200, created.body.voice_id]);
    expect(await upload(keyedUpload)).toEqual(added);
    expect((await create(second!.generated_voice_id)).status).toBe(403);
    expect((await upload({})).status).toBe(403);
  });

  it('a protected name is for its account alone, and only in names', async () => {
    const owner = await stack.issueKey();
    await add('protected_names', 'Morgan Freeman', { account_id: owner.accountId });
    const [own, other] = await Promise.all(
      [owner, key].map(({ accountId }) => storeVoice(stack, { accountId, enqueue: false })),
    );
    expect((await edit(other!, 'Моrgаn Frееmаn')).status).toBe(403);
    expect((await edit(own!, 'Morgan Freeman', owner)).status).toBe(200);
    expect((await design({ voice_description: `${DESCRIPTION} Like Morgan Freeman.` })).status).toBe(200);
  });

  it('profane words are refused once staff have switched the list on', async () => {
    const description = `${DESCRIPTION} He says fцck a lot.`;
    expect((await design({ voice_description: description })).status).toBe(200);
    await support.send('PUT', '/admin/screening/profanity', { enabled: true, reason }, ANY_VERSION);
    expect((await design({ voice_description: description })).status).toBe(403);
    await support.send('PUT', '/admin/screening/profanity', { enabled: false, reason }, ANY_VERSION);
    expect((await design({ voice_description: description })).status).toBe(200);
  });
});

describe('staff', () => {
  it('try an entry first: how many voices it would have hit, and which', async () => {
    const accountId = await stack.openAccount();
    for (let index = 0; index < 14; index++)
      await storeVoice(stack, { accountId, name: `Gr1fter ${index}`, enqueue: false });
    const tried = await support.post('/admin/screening/dry-run', { list: 'blocked_words', text: 'grifter' });
    expect(tried.body).toMatchObject({ hits: 14, partial: false });
    expect(tried.body.voices).toHaveLength(14);
    expect((tried.body.voices as object[])[0]).toMatchObject({ account: { id: accountId }, field: 'name' });
    expect((await entries()).map(({ text }) => text)).not.toContain('grifter');
    const profane = await support.post('/admin/screening/dry-run', { list: 'profanity' });
    expect(profane.body).toMatchObject({ hits: 0 });
  });

  it('add, edit and remove entries, which the audit log has', async () => {
    const added = await add('blocked_anywhere', 'swindl');
    expect(added.status).toBe(201);
    const { id } = (await entries()).find(({ text }) => text === 'swindl')!;
    const path = `/admin/screening/entries/${id}`;
    expect((await support.send('PUT', path, { text: 'swindle', reason }, ANY_VERSION)).status).toBe(200);
    expect((await design({ voice_description: `${DESCRIPTION} An outswindler.` })).status).toBe(403);
    await support.send('DELETE', path, { reason }, ANY_VERSION);
    const actions = await stack.dataSource.query<{ action: string }[]>(
      'SELECT action FROM audit_event WHERE target_id = $1 ORDER BY id',
      [id],
    );
    expect(actions.map(({ action }) => action)).toEqual([
      'screening.entry_added',
      'screening.entry_edited',
      'screening.entry_removed',
    ]);
  });

  it('are told what is wrong with an entry', async () => {
    await add('blocked_words', 'charlatan');
    const again = await add('blocked_words', 'Сharlаtan');
    expect(again.body).toMatchObject({ status: 409, code: 'screening_entry_exists' });
    expect(again.text).toContain("'charlatan'");
    expect((await add('blocked_words', '--!')).status).toBe(400);
    expect((await add('blocked_words', 'x')).status).toBe(422);
    expect((await add('other', 'xyz')).status).toBe(422);
    const unknown = randomUUID();
    const refused = await add('protected_names', 'Nobody', { account_id: unknown });
    expect([refused.status, refused.body.detail]).toEqual([404, `An account '${unknown}' was not found.`]);
    const gone = await support.send(
      'DELETE',
      `/admin/screening/entries/${randomUUID()}`,
      { reason },
      ANY_VERSION,
    );
    expect(gone.body).toMatchObject({ status: 404, code: 'screening_entry_not_found' });
    const manager = await StaffClient.signedIn(stack, 'account_manager');
    expect((await manager.get('/admin/screening')).status).toBe(403);
  });
});
