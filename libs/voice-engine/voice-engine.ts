import { EncodedAudio } from '@app/audio/codecs/encode-audio';
import { OutputFormat } from '@app/audio/codecs/output-format';
import type { SpokenScripts } from './speakable-text';
import type { UpstreamCosts } from './upstream-costs';
import { UnderstoodDescription } from './voice-description';

/** A voice as the engine's own parameters: plain JSON. Only the engine that created it can read it. */
export interface EngineSpec {
  engine: string;
}

/** A voice to start a remix from. */
export interface BaseVoice {
  /** As it was stored; if another engine created it, its description is used. */
  spec: object;
  description: string;
}

export interface DesignRequest {
  /** Accounts take turns at the engine. */
  accountId: string;
  /** The request that it is for, under which a service elsewhere notes what it takes. */
  requestId?: string;
  /** What the voice should be like, or with `base` how it should change. */
  description: string;
  /** What it says: `isSpeakable` with the engine's scripts. */
  text: string;
  /** -1..1; 0 is about -24 LUFS, 0.5 about -20. */
  loudness: number;
  /** Same seed and same request, same voices; with the embedded engine also the same audio. */
  seed: number;
  /** 0..100: the higher, the closer the three previews keep to the description and to each other. */
  guidanceScale: number;
  /** -1..1: the higher, the less the previews vary. */
  quality: number | null;
  /** What the caller receives. */
  outputFormat: OutputFormat;
  /** What is stored for the voice's sample. */
  storedFormat: OutputFormat;
  /** Remix: the voice to start from. */
  base?: BaseVoice;
  /** Remix: 0..1, how far the voice moves towards the description; null is the middle. */
  changeStrength?: number | null;
}

/** What is known of a preview before it is spoken. */
export interface PlannedPreview {
  /** Everything needed to speak with this voice again, stored with the preview. */
  spec: EngineSpec;
  understood: UnderstoodDescription;
  /** BCP 47, for example `en-US`. */
  language: string;
}

export interface DesignedPreview extends PlannedPreview {
  response: EncodedAudio;
  /** The same object as `response` when both formats are the same. */
  stored: EncodedAudio;
}

export type OnSpoken = (preview: DesignedPreview, place: number) => void;

/** One piece of a text for a stored voice to speak. */
export interface SpeechRequest {
  /** Accounts take turns at the engine. */
  accountId: string;
  /** As that of a design. */
  requestId?: string;
  /** The stored voice; `engineOf` it is what the engine `speaks`. */
  spec: object;
  /** `isSpeakable` with the engine's scripts. `<break time="1s"/>` is silence. */
  text: string;
  /** Pace relative to the voice's own; above 1 is faster. */
  speed: number;
  outputFormat: OutputFormat;
  /** The model that the caller names, for engines that have several. */
  modelId?: string;
  /** Whether to say when which word is spoken. */
  timed?: boolean;
}

/** When a word is spoken, in seconds from the beginning of the audio. */
export interface WordTime {
  startSecs: number;
  endSecs: number;
}

export interface SpokenPiece extends EncodedAudio {
  /** Of each word of `speakableText(text)`, in order; null when it was not requested or the engine does not know. */
  wordTimes: WordTime[] | null;
}

/** Which engine speaks with a voice, and for which kind of server it was created. */
export function engineOf(spec: object): string {
  const { engine, dialect } = spec as { engine: string; dialect?: string };
  return dialect === undefined ? engine : `${engine} (${dialect})`;
}

/** Turns a written description and a text into three different spoken previews, and speaks with the voices of before. */
export interface VoiceEngine {
  readonly name: string;
  /** The voices that `speak` takes: those for which `engineOf` returns this. */
  readonly speaks: string;
  /** What it can read. */
  readonly scripts: SpokenScripts;
  /** How long one more design of an account without others would wait for its turn. */
  readonly waitSecs: number;
  /** Credits that a service elsewhere says it takes; undefined for engines that cost none. */
  readonly costs?: UpstreamCosts;

  /**
   * The three voices that `design` will speak with for the same request; without any input or output.
   *
   * @throws VoiceEngineError `queue_full` when a design would be refused now
   */
  plan(request: DesignRequest): PlannedPreview[];

  /**
   * Always three previews. Takes its place in the queue before it first waits.
   *
   * An aborted design leaves the queue, and stops where it is spoken.
   *
   * @param onSpoken receives each preview, and its place from 0, as soon as it is spoken; the first one is then hurried
   * @throws VoiceEngineError when the engine cannot speak; the signal's reason when it was aborted
   */
  design(request: DesignRequest, signal?: AbortSignal, onSpoken?: OnSpoken): Promise<DesignedPreview[]>;

  /**
   * Keeps the voice of a preview where the engine speaks elsewhere, and voices there have to be created. The same again is harmless.
   *
   * @returns the spec of the voice
   * @throws VoiceEngineError, InvalidInput for what is refused there
   */
  adopt?(spec: object, voice: { name: string; description: string }): Promise<EngineSpec>;

  /** @throws VoiceEngineError `queue_full` when `speak` would refuse the same request now */
  requireRoom(request: SpeechRequest): void;

  /**
   * Speaks with a stored voice. An aborted piece leaves the queue, and stops where it is spoken.
   *
   * @throws VoiceEngineError when the engine cannot speak; the signal's reason when it was aborted
   */
  speak(request: SpeechRequest, signal?: AbortSignal): Promise<SpokenPiece>;

  /** Speaks a word, which also warms the engine up. @throws VoiceEngineError when it cannot */
  check(): Promise<void>;

  close(): Promise<void>;
}
