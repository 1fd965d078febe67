import { EncodedAudio } from '@app/audio/encode-audio';
import { OutputFormat } from '@app/audio/output-format';
import { UnderstoodDescription } from '@app/domain/voice-description';
import { VoiceSpec } from './voice-spec';

export interface DesignRequest {
  /** What the voice should be like, or with `base` how it should change. */
  description: string;
  /** What it says; `speakableText(text)` is not empty. */
  text: string;
  /** -1..1; 0 is about -24 LUFS, 0.5 about -20. */
  loudness: number;
  /** Same seed and same request, same audio; null picks one at random. */
  seed: number | null;
  /** 0..100: the higher, the closer the three previews keep to the description and to each other. */
  guidanceScale: number;
  /** -1..1: the higher, the less the previews vary. */
  quality: number | null;
  /** What the caller receives. */
  outputFormat: OutputFormat;
  /** What is kept for the voice's sample. */
  storedFormat: OutputFormat;
  /** Remix: the voice to start from. */
  base?: VoiceSpec;
}

export interface DesignedPreview {
  /** Everything needed to speak with this voice again: plain JSON, stored with the preview. */
  spec: VoiceSpec;
  understood: UnderstoodDescription;
  /** BCP 47, for example `en-US`. */
  language: string;
  response: EncodedAudio;
  /** The same object as `response` when both formats are the same. */
  stored: EncodedAudio;
}

/** Turns a written description and a text into three different spoken previews. */
export interface VoiceEngine {
  readonly name: string;

  /**
   * Always three previews.
   *
   * @throws VoiceEngineError when the engine cannot speak; the signal's reason when it was aborted
   */
  design(request: DesignRequest, signal?: AbortSignal): Promise<DesignedPreview[]>;

  /** Speaks a word, which also warms the engine up. @throws VoiceEngineError when it cannot */
  check(): Promise<void>;

  close(): Promise<void>;
}
