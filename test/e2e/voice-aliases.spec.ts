import { newPublicId } from '../../libs/domain/common/public-id';
import { randomBytes } from 'node:crypto';
import { makeVoice } from '../support/previews';
import { TEXT } from '../support/samples';
import { HandshakeRefused, SpeechSocketClient } from '../support/speech-socket';
import { Stack, type IssuedKey } from '../support/stack';
import { ANY_VERSION, StaffClient, type StaffResponse } from '../support/staff-client';

const ALIAS = '21m00Tcm4TlvDq8ikWAM';
const OTHER_ALIAS = 'EXAVITQu4vr4xnSDxMaL';
const reason = 'Their program has this id built in';

let stack: Stack;
let manager: StaffClient;
let owner: IssuedKey;
let stranger: IssuedKey;
let voiceId: string;
let strangersId: string;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  manager = await StaffClient.signedIn(stack, 'account_manager');
  owner = await stack.issueKey({ tier: 'pro' });
  stranger = await stack.issueKey({ tier: 'pro' });
  ({ voiceId } = await makeVoice(stack, owner.secret));
  ({ voiceId: strangersId } = await makeVoice(stack, stranger.secret));
});

afterAll(async () => {
  await stack.stop();
});

const alias = (aliases: unknown, id = voiceId, headers: Record<string, string> = ANY_VERSION) =>
  manager.send('PUT', `/admin/voices/${id}/aliases`, { aliases, reason }, headers);
const codeOf = ({ status, body }: StaffResponse) => [status, body.code];

const speak = (voice: string, key = owner, path = '') =>
  stack.request('POST', `/v1/text-to-speech/${voice}${path}`, { ...key, body: { text: TEXT } });

async function overSocket(voice: string, key = owner): Promise<string> {
  const url = `${stack.baseUrl}/v1/text-to-speech/${voice}/stream-input?output_format=pcm_16000`;
  const socket = await SpeechSocketClient.open(url, { 'xi-api-key': key.secret });
  socket.send({ text: TEXT }, { text: '' });
  await socket.closed;
  return socket.audio.length > 0 ? 'speaks' : socket.error!.error!;
}

describe('a voice with an alias', () => {
  beforeAll(async () => {
    const input = await alias([OTHER_ALIAS, ALIAS, ALIAS]);
    expect(input.status).toBe(200);
    expect(input.body.aliases).toEqual([ALIAS, OTHER_ALIAS]);
  });

  it('speaks by it, over HTTP and sockets, and the history has its own id', async () => {
    for (const path of ['', '/stream', '/with-timestamps', '/stream/with-timestamps'])
      expect((await speak(ALIAS, owner, path)).status).toBe(200);
    expect(await overSocket(ALIAS)).toBe('speaks');
    const { body } = await stack.request('GET', '/v1/history?page_size=1', owner);
    expect((body.history as object[])[0]).toMatchObject({ voice_id: voiceId });
  });

  it('is read by it, with its own id and a preview_url that plays', async () => {
    const { body: voice } = await stack.request('GET', `/v1/voices/${ALIAS}`, owner);
    expect(voice.voice_id).toBe(voiceId);
    expect((await fetch(voice.preview_url as string)).status).toBe(200);
    const [sample] = voice.samples as { sample_id: string }[];
    const paths = ['settings', `samples/${sample!.sample_id}/audio`];
    for (const path of paths)
      expect((await stack.request('GET', `/v1/voices/${ALIAS}/${path}`, owner)).status).toBe(200);
    const appeal = await stack.request('GET', `/v1/voices/${ALIAS}/review/appeal`, owner);
    expect(appeal.body.detail!.code).toBe('appeal_not_found');
  });

  it('is remixed by it, and not changed by it', async () => {
    const body = {
      voice_description: 'deeper and slower',
      text: TEXT,
    };
    expect((await stack.request('POST', `/v1/text-to-voice/${ALIAS}/remix`, { ...owner, body })).status).toBe(
      200,
    );
    const settings = { ...owner, body: { stability: 0.1, similarity_boost: 0.1 } };
    expect((await stack.request('POST', `/v1/voices/${ALIAS}/settings/edit`, settings)).status).toBe(404);
    expect((await stack.request('DELETE', `/v1/voices/${ALIAS}`, owner)).status).toBe(404);
  });

  it('is unknown to another account: the bytes of any unknown id', async () => {
    const unknown = newPublicId(randomBytes);
    const textOf = ({ body }: { body: object }, id: string) =>
      JSON.stringify(body)
        .replaceAll(id, '')
        .replace(/"request_id":"\w+"/, '');
    for (const send of [
      (id: string) => speak(id, stranger),
      (id: string) => stack.request('GET', `/v1/voices/${id}`, stranger),
    ]) {
      const [refused, other] = [await send(ALIAS), await send(unknown)];
      expect(refused.status).toBe(404);
      expect(textOf(refused, ALIAS)).toBe(textOf(other, unknown));
    }
    await expect(overSocket(ALIAS, stranger)).rejects.toBeInstanceOf(HandshakeRefused);
    expect((await alias([ALIAS], strangersId)).status).toBe(200);
    expect((await stack.request('GET', `/v1/voices/${ALIAS}`, stranger)).body.voice_id).toBe(strangersId);
    expect((await stack.request('GET', `/v1/voices/${ALIAS}`, owner)).body.voice_id).toBe(voiceId);
  });

  it('each change is in the audit log, with who and why; one that changes nothing is not', async () => {
    await alias([ALIAS, OTHER_ALIAS]);
    const events = await stack.dataSource.query<object[]>(
      `SELECT actor_id AS actor, before, after, reason FROM audit_event WHERE action = 'voice.aliased' AND target_id = $1`,
      [voiceId],
    );
    const after = { aliases: [ALIAS, OTHER_ALIAS] };
    expect(events).toEqual([{ actor: manager.person.id, before: { aliases: [] }, after, reason }]);
  });

  it('a deleted voice leaves its aliases', async () => {
    const { voiceId: second } = await makeVoice(stack, owner.secret);
    const own = newPublicId(randomBytes);
    await alias([own], second);
    expect((await speak(own)).status).toBe(200);
    await stack.request('DELETE', `/v1/voices/${second}`, owner);
    expect((await speak(own)).status).toBe(404);
    expect((await alias([ALIAS, OTHER_ALIAS, own])).status).toBe(200);
    expect((await speak(own)).status).toBe(200);
  });
});

describe('refused', () => {
  it('an alias of another voice of the account, also of two requests at once, and the id of any voice', async () => {
    const voices = [await makeVoice(stack, owner.secret), await makeVoice(stack, owner.secret)];
    const contested = newPublicId(randomBytes);
    const both = await Promise.all(voices.map(({ voiceId: id }) => alias([contested], id)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(codeOf(await alias([contested]))).toEqual([409, 'voice_alias_taken']);
    for (const id of [strangersId, voiceId, voices[0]!.voiceId])
      expect(codeOf(await alias([id]))).toEqual([409, 'voice_alias_taken']);
  });

  it('what has not the form of an id, too many, a stale version, a voice that is gone, and those who may not', async () => {
    for (const wrong of [['short'], ['x'.repeat(21)], ['not-alphanumeric-20c'], 'text', [1]])
      expect((await alias(wrong)).status).toBe(422);
    expect((await alias(Array.from({ length: 21 }, () => newPublicId(randomBytes)))).status).toBe(422);
    expect((await alias([], voiceId, { 'if-match': '"v1"' })).status).toBe(412);
    expect((await alias([], 'gone')).status).toBe(404);
    const support = await StaffClient.signedIn(stack, 'support');
    const body = { aliases: [], reason };
    expect((await support.send('PUT', `/admin/voices/${voiceId}/aliases`, body, ANY_VERSION)).status).toBe(
      403,
    );
  });
});
