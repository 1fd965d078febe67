import { signWebhook, SIGNATURE_HEADER } from '../../../libs/domain/webhooks/webhook-signature.ts';
import { verifyWebhook, WebhookError } from './webhooks.ts';

const BODY = '{"type":"voice.reviewed","note":"naïve"}';
const NOW = new Date('2026-01-01T00:00:00Z');
const signed = (secret = 'new', body = BODY) => signWebhook(secret, body, NOW);
const at = (secs: number) => ({ now: new Date(NOW.getTime() + secs * 1_000) });
const verify = (
  header: string,
  secret: string | string[] = 'new',
  body: string | Uint8Array = BODY,
  secs = 0,
) => verifyWebhook(body, { [SIGNATURE_HEADER]: header }, secret, at(secs));

it('accepts what Greenroom signs, as a text and as bytes', () => {
  expect(verify(signed())).toEqual(JSON.parse(BODY));
  expect(verify(signed(), 'new', Buffer.from(BODY))).toEqual(JSON.parse(BODY));
});

it('reads the header of fetch and of Node, in any case', () => {
  const event = JSON.parse(BODY) as unknown;
  expect(verifyWebhook(BODY, new Headers({ [SIGNATURE_HEADER]: signed() }), 'new', at(0))).toEqual(event);
  expect(verifyWebhook(BODY, { 'ElevenLabs-Signature': [signed()] }, 'new', at(0))).toEqual(event);
});

it('accepts either secret of a rotation', () => {
  for (const secret of ['old', 'new']) expect(verify(signed(secret), ['old', 'new'])).toBeTruthy();
});

it.each<[string, () => unknown, RegExp]>([
  ['another secret', () => verify(signed('other'), ['old', 'new']), /another secret/],
  ['another body', () => verify(signed(), 'new', `${BODY} `), /changed on its way/],
  ['another time', () => verify(signed().replace(/t=\d/, 't=2')), /s from now/],
  ['a signature that is too old', () => verify(signed(), 'new', BODY, 301), /301 s from now; 300 s/],
  ['one of the future', () => verify(signed(), 'new', BODY, -301), /301 s from now/],
  ['no header', () => verifyWebhook(BODY, {}, 'new', at(0)), /should be "t=/],
  ['no signature', () => verify('t=1767225600'), /should be "t=/],
  ['a short signature', () => verify('t=1767225600,v0=ab'), /should be "t=/],
  ['no secret', () => verify(signed(''), ''), /No secret/],
  ['no secrets', () => verify(signed(), []), /No secret/],
])('refuses %s', (_, call, message) => {
  expect(call).toThrow(WebhookError);
  expect(call).toThrow(message);
});
