import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js';
import { signWebhook } from './webhook-signature';

const { webhooks } = new ElevenLabsClient({ apiKey: 'not used' });
const BODY = '{"type":"voice.reviewed","data":{"name":"Zoë 🎙"}}';

describe('signWebhook', () => {
  it('is accepted by the verifier of the official library', async () => {
    const header = signWebhook('whsec_x', BODY, new Date());
    await expect(webhooks.constructEvent(BODY, header, 'whsec_x')).resolves.toEqual(JSON.parse(BODY));
  });

  it.each([
    ['another body', `${BODY} `, 'whsec_x', 0],
    ['another secret', BODY, 'whsec_y', 0],
    ['an old signature', BODY, 'whsec_x', 31 * 60_000],
  ])('is refused for %s', async (_, body, secret, ageMs) => {
    const header = signWebhook('whsec_x', BODY, new Date(Date.now() - ageMs));
    await expect(webhooks.constructEvent(body, header, secret)).rejects.toThrow();
  });
});
