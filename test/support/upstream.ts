import type { StackOptions } from './stack';

/** The settings of an installation whose voices are those of an account of another one. */
export const withUpstream = (url: string, secret: string) =>
  ({
    VOICE_ENGINE: 'elevenlabs',
    VOICE_ENGINE_URL: url,
    VOICE_ENGINE_API_KEY: secret,
    VOICE_ENGINE_ADDRESSES: '127.0.0.1',
  }) satisfies StackOptions['env'];
