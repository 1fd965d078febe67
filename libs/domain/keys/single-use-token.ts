import type { Permission } from './permissions';

/** How long a token can be used. */
export const TOKEN_TTL_SECS = 15 * 60;

/** A field of a request that a token may be bound to. */
export type TokenPin = 'generated_voice_id' | 'voice_id';

interface TokenRow {
  /** Method and path of each operation that takes it, of which it opens one. */
  routes: readonly string[];
  /** What its key must be permitted: when the token is issued, and still when it is used. */
  permission: Permission;
  /** Where the operation names what it works on, if a token can be bound to that. */
  pin: TokenPin | null;
}

const ROWS = {
  text_to_voice_design: {
    routes: ['POST /v1/text-to-voice/design'],
    permission: 'voice_generation',
    pin: null,
  },
  text_to_voice_remix: {
    routes: ['POST /v1/text-to-voice/:voice_id/remix'],
    permission: 'voice_generation',
    pin: 'voice_id',
  },
  text_to_voice_create: {
    routes: ['POST /v1/text-to-voice'],
    permission: 'voices_write',
    pin: 'generated_voice_id',
  },
  preview_stream: {
    routes: ['GET /v1/text-to-voice/:generated_voice_id/stream'],
    permission: 'voice_generation',
    pin: 'generated_voice_id',
  },
  text_to_speech: {
    routes: ['POST /v1/text-to-speech/:voice_id', 'POST /v1/text-to-speech/:voice_id/stream'],
    permission: 'text_to_speech',
    pin: 'voice_id',
  },
  tts_websocket: {
    routes: [
      'GET /v1/text-to-speech/:voice_id/stream-input',
      'GET /v1/text-to-speech/:voice_id/multi-stream-input',
    ],
    permission: 'text_to_speech',
    pin: 'voice_id',
  },
} satisfies Record<string, TokenRow>;

export type TokenType = keyof typeof ROWS;

/** The single-use tokens there are, and what each is for. */
export const TOKEN_TYPES: Readonly<Record<TokenType, TokenRow>> = ROWS;

export const TOKEN_TYPE_NAMES = Object.keys(TOKEN_TYPES) as TokenType[];
