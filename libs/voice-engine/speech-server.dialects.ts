import { withoutMarkup } from './spoken-markup';
import type { VoiceTraits } from './voice-lexicon';
import type { EngineSpec } from './voice-engine';

/** Which server speaks the OpenAI speech API: they differ in what they know beyond it, and OpenAI refuses the rest. */
const SPEECH_DIALECTS = ['openai', 'vllm-omni', 'kokoro'] as const;

export type SpeechDialect = (typeof SPEECH_DIALECTS)[number];

/** One voice of a speech server: plain JSON. */
export interface SpeechServerSpec extends EngineSpec {
  engine: 'openai';
  dialect: SpeechDialect;
  model: string | null;
  /** Null where the instructions alone make the voice. */
  voice: string | null;
  /** What the voice is like, for servers that read it. */
  instructions: string;
  /** 1 is the voice's own pace. */
  speed: number;
  lufs: number;
}

type Gender = NonNullable<VoiceTraits['gender']>;

interface DialectRow {
  defaultModel: string | null;
  /** Voices that fit, best first; null where there are none to choose from. */
  voices: Record<Gender, readonly string[]> | null;
  /** How a text requests silence; null where the server would read it aloud. */
  pause: ((secs: number) => string) | null;
  /** The request body beside `input` and `response_format`. */
  fields: (spec: SpeechServerSpec) => Record<string, unknown>;
}

/** What each server takes (their API descriptions of 2026). The API's own limit of `instructions` is 4,096 characters. */
export const DIALECTS: Record<SpeechDialect, DialectRow> = {
  openai: {
    defaultModel: 'gpt-4o-mini-tts',
    voices: {
      female: ['coral', 'nova', 'shimmer', 'sage'],
      male: ['onyx', 'echo', 'ash', 'verse'],
      neutral: ['alloy', 'fable', 'sage', 'ballad'],
    },
    pause: null,
    // It refuses fields it does not know, and the older models refuse instructions.
    fields: ({ model, voice, instructions, speed }) => ({
      model,
      voice,
      speed,
      ...(!model?.startsWith('tts-1') && { instructions }),
    }),
  },
  'vllm-omni': {
    defaultModel: null,
    voices: null,
    pause: null,
    fields: ({ model, instructions, speed }) => ({
      ...(model !== null && { model }),
      task_type: 'VoiceDesign',
      instructions,
      speed,
      language: 'Auto',
      stream: false,
    }),
  },
  kokoro: {
    defaultModel: 'kokoro',
    voices: {
      female: ['af_heart', 'af_bella', 'af_sky', 'bf_emma'],
      male: ['am_michael', 'am_fenrir', 'bm_george', 'am_puck'],
      neutral: ['af_sky', 'am_michael', 'bf_emma', 'bm_george'],
    },
    pause: (secs) => `[pause:${secs}s]`,
    fields: ({ model, voice, speed }) => ({ model, voice, speed, stream: false }),
  },
};

/** The body of `POST /v1/audio/speech`. WAV, because it is lossless and recognisable by its bytes. */
export function speechRequest(spec: SpeechServerSpec, text: string): Record<string, unknown> {
  const { fields, pause } = DIALECTS[spec.dialect];
  return { input: withoutMarkup(text, pause), response_format: 'wav', ...fields(spec) };
}
