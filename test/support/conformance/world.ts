import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js';
import type { NewApiKey } from '../../../libs/administration/keys/api-keys.service';
import type { Tier } from '../../../libs/domain/accounts/tiers';
import { copyPreviews, designPreviews } from '../previews';
import { DESCRIPTION } from '../samples';
import type { IssuedKey, Stack } from '../stack';
import { recordingFile } from './recording-file';

/** A public address by number, so that no name is resolved. No worker runs here: nothing is sent to it. */
export const WEBHOOK_URL = 'https://1.1.1.1/events';

type Fetch = typeof globalThis.fetch;

/** An account with something of everything in it, and the official client library to read it. */
export class World {
  private constructor(
    private readonly stack: Stack,
    readonly key: IssuedKey,
    readonly client: ElevenLabsClient,
    /** The previews of all worlds of a stack are copies of it, unless an upstream speaks. */
    private readonly designed: string,
  ) {}

  private readonly unused: string[] = [];
  voiceId: string;
  sampleId: string;
  serviceAccountId: string;
  webhookId: string;

  static async create(stack: Stack): Promise<World> {
    const [designed] = await designPreviews(stack, await stack.issueKey());
    return World.of(stack, 'enterprise', designed!);
  }

  private static async of(stack: Stack, tier: Tier, designed: string): Promise<World> {
    const key = await stack.issueKey({ tier });
    const world = new World(stack, key, clientOf(stack, key), designed);
    await world.furnish();
    return world;
  }

  /** The library with another key of the same account. */
  async clientWith(options: Partial<NewApiKey>): Promise<ElevenLabsClient> {
    return clientOf(this.stack, await this.stack.issueKey({ ...options, accountId: this.key.accountId }));
  }

  /** The library with a key of a new account. */
  async clientOfTier(tier: Tier): Promise<ElevenLabsClient> {
    return clientOf(this.stack, await this.stack.issueKey({ tier }));
  }

  /** The library with no key of ours. */
  stranger(): ElevenLabsClient {
    return new ElevenLabsClient({ baseUrl: this.stack.baseUrl, apiKey: 'grk_unknown', maxRetries: 0 });
  }

  /** The library over a network that does something to requests. */
  async clientOver(fetch: Fetch): Promise<ElevenLabsClient> {
    const key = await this.stack.issueKey({ accountId: this.key.accountId });
    return clientOf(this.stack, key, { fetch, maxRetries: 2 });
  }

  /** Another account with the same, for what would spoil this one. */
  async another(tier: Tier = 'enterprise'): Promise<World> {
    return World.of(this.stack, tier, this.designed);
  }

  /** A preview that is not a voice yet. */
  async preview(): Promise<string> {
    if (this.stack.config.voiceEngine === 'elevenlabs') return this.unusedPreview();
    const [previewId] = await copyPreviews(this.stack, this.designed, 1, this.key.accountId);
    return previewId!;
  }

  /** An upstream makes one voice of a preview of its own, however often it is copied here. */
  private async unusedPreview(): Promise<string> {
    if (this.unused.length === 0) this.unused.push(...(await designPreviews(this.stack, this.key)));
    return this.unused.pop()!;
  }

  async voice(): Promise<string> {
    const { voiceId } = await this.client.textToVoice.create({
      voiceName: 'Harbour',
      voiceDescription: DESCRIPTION,
      generatedVoiceId: await this.preview(),
    });
    return voiceId;
  }

  /** Something that the voice has spoken. */
  async spoken(): Promise<string> {
    const { data, rawResponse } = await this.client.textToSpeech
      .convert(this.voiceId, { text: 'Hello there.' })
      .withRawResponse();
    await new Response(data).arrayBuffer();
    return rawResponse.headers.get('history-item-id')!;
  }

  /** A voice of so many recordings. */
  async recorded(takes: number): Promise<{ voiceId: string; sampleIds: string[] }> {
    const files = Array.from({ length: takes }, recordingFile);
    const { voiceId } = await this.client.voices.ivc.create({ name: 'Recorded', files });
    const { samples = [] } = await this.client.voices.get(voiceId);
    return { voiceId, sampleIds: samples.map(({ sampleId }) => sampleId!) };
  }

  async serviceAccountKey(): Promise<string> {
    const settings = { name: 'build', permissions: ['models_read' as const] };
    return (await this.client.serviceAccounts.apiKeys.create(this.serviceAccountId, settings)).keyId;
  }

  async webhook(): Promise<string> {
    const settings = { authType: 'hmac' as const, name: 'Ours', webhookUrl: WEBHOOK_URL };
    return (await this.client.webhooks.create({ settings })).webhookId;
  }

  async query(sql: string, values: unknown[]): Promise<void> {
    await this.stack.dataSource.query(sql, values);
  }

  private async furnish(): Promise<void> {
    await this.query('UPDATE account SET recordings_consented_at = now() WHERE id = $1', [
      this.key.accountId,
    ]);
    const voice = await this.client.textToVoice.create({
      voiceName: 'Furniture',
      voiceDescription: DESCRIPTION,
      generatedVoiceId: await this.preview(),
    });
    this.voiceId = voice.voiceId;
    this.sampleId = voice.samples![0]!.sampleId!;
    this.serviceAccountId = (
      await this.client.serviceAccounts.create({ name: 'Build' })
    ).serviceAccountUserId;
    this.webhookId = await this.webhook();
  }
}

function clientOf(
  { baseUrl }: Stack,
  { secret }: IssuedKey,
  options: { fetch?: Fetch; maxRetries?: number } = { maxRetries: 0 },
): ElevenLabsClient {
  return new ElevenLabsClient({ baseUrl, apiKey: secret, ...options });
}
