import type { OutputFormat } from '@app/audio/codecs/output-format';
import type { Preview } from '@app/database/voices/preview.entity';
import type { Addition } from '@app/voice-engine/enhanced-description';
import type { DesignRequest } from '@app/voice-engine/voice-engine';

/** What is to be generated. */
export interface Generation {
  operation: 'text_to_voice_design' | 'text_to_voice_remix';
  /** As the caller wrote it; `speech.description` is what the engine receives. */
  description: string;
  speech: Omit<DesignRequest, 'accountId' | 'requestId' | 'outputFormat' | 'storedFormat'>;
  modelId: string;
  format: OutputFormat | undefined;
  /** Respond at once, and speak afterwards. */
  streamed: boolean;
  origin: Pick<
    Preview,
    'remixedVoiceId' | 'originVoiceIds' | 'remixingSessionId' | 'remixingSessionIterationId'
  >;
  /** What support sees beside what the engine understood. */
  notes: { added: Addition; withoutEffect: string[] };
}
