import { mediaTypeOf } from '@app/audio/codecs/encode-audio';
import { withoutInfoFrame } from '@app/audio/codecs/mp3-pieces';
import { InvalidInput } from '@app/domain/common/invalid-input';
import type { Caller } from '@app/domain/keys/caller';
import { DEFAULT_VOICE_SETTINGS } from '@app/domain/voices/voice-settings';
import { GenerationSlots } from '@app/limits/generation-slots';
import { estimatePiece, slowestSpeechSecs } from '@app/voice-engine/speech-estimate';
import { splitIntoPieces } from '@app/voice-engine/speech-pieces';
import { engineOf, type VoiceEngine } from '@app/voice-engine/voice-engine';
import { VoiceEngineError } from '@app/voice-engine/voice-engine.error';
import { VOICE_ENGINE } from '@app/voice-engine/voice-engine.provider';
import { Inject, Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { setTimeout as wait } from 'node:timers/promises';
import { HistoryRecorder } from '../history/history-recorder';
import { GenerationCredits } from '../text-to-voice/generation-credits';
import { requireFormat, toRefusal } from '../text-to-voice/generation.service';
import { notSpeakable } from '../voices/not-speakable';
import { VoicesService } from '../voices/voices.service';
import type { Speech, SpeechInput, SpokenPart } from './speech';
import { SpeechStream } from './speech-stream';

const OPERATION = 'text_to_speech';
/** What a text may take beyond the time it is spoken in: a client may read no faster than it plays. */
const LIMIT_SECS = 180;
/** Texts of nothing but digits would have half a day. */
const LONGEST_SECS = 7_200;
/** For how much longer its credits stay held, if its process dies. */
const HOLD_MARGIN_SECS = 120;
const CAPTURE_ATTEMPTS = 3;
const CAPTURE_PAUSE_MS = 500;
/** Between two attempts of a piece in the middle of a text to have a place in the engine's queue. */
const QUEUE_PAUSE_MS = 1_000;
/** How long streams may go on when the process is asked to stop. */
const SHUTDOWN_MS = 5_000;

/** Lets stored voices speak, and charges one credit a character. */
@Injectable()
export class TextToSpeechService implements BeforeApplicationShutdown {
  engineFailures = 0;
  spokenPieces = 0;
  private readonly logger = new Logger(TextToSpeechService.name);
  private readonly streams = new Set<SpeechStream>();

  constructor(
    @Inject(VOICE_ENGINE) private readonly engine: VoiceEngine,
    private readonly voices: VoicesService,
    private readonly credits: GenerationCredits,
    private readonly slots: GenerationSlots,
    private readonly history: HistoryRecorder,
  ) {}

  /**
   * Reads what a voice is to say. Nothing is held or spoken yet.
   *
   * @throws InvalidInput, DomainError `voice_not_found`, `voice_held`, `voice_not_speakable` and the refusals of the format
   */
  async prepare(caller: Caller, voiceId: string, input: SpeechInput): Promise<Speech> {
    const { text, format, modelId, timed } = input;
    requireFormat(format, caller.key);
    const { spec, ...voice } = await this.voices.getUsable(caller, voiceId);
    const { speaks: accepted } = this.engine;
    if (engineOf(spec) !== accepted) throw notSpeakable(voiceId, spec, accepted);
    const pieces = splitIntoPieces(text);
    if (pieces.length === 0) throw nothingToSpeak(text);
    const cost = pieces.reduce((sum, { characters }) => sum + characters, 0);
    const settings = input.settings ?? voice.settings ?? DEFAULT_VOICE_SETTINGS;
    const { accountId, keyId } = caller.key;
    const spoken = { accountId, keyId, voiceId, voiceName: voice.name, modelId, settings };
    const audio = { mediaType: mediaTypeOf(format), outputFormat: format, requestId: caller.requestId };
    return {
      pieces,
      cost,
      bytes: estimatePiece({ text, outputFormat: format, timed }).bytes,
      limitMs: Math.min(LONGEST_SECS, LIMIT_SECS + slowestSpeechSecs(text)) * 1_000,
      request: { accountId, spec, speed: settings.speed, outputFormat: format, timed },
      engine: accepted,
      draft: input.isKept ? this.history.begin({ ...spoken, ...audio }) : null,
    };
  }

  /** Speaks all of it, and charges it; nothing is charged when a part cannot be spoken, or the client goes away. */
  async speak(caller: Caller, speech: Speech): Promise<SpokenPart[]> {
    await this.hold(caller, speech);
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(tooLate()), speech.limitMs);
    const signal = AbortSignal.any([caller.signal, end.signal]);
    try {
      const parts: SpokenPart[] = [];
      for (const index of speech.pieces.keys()) parts.push(await this.speakPiece(speech, index, signal));
      await this.charge(caller, speech, speech.cost);
      return parts;
    } catch (error) {
      await this.credits.release(caller);
      throw error instanceof VoiceEngineError ? toRefusal(error) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Begins to speak; resolves when the first piece is spoken. What is sent is charged, and the rest released.
   *
   * @param write what is sent of a part; called once for each, in their order
   */
  async startStream(
    caller: Caller,
    speech: Speech,
    write: (part: SpokenPart) => Uint8Array,
  ): Promise<SpeechStream> {
    await this.hold(caller, speech);
    const stream = new SpeechStream({
      speech,
      speak: async (index, signal) => write(await this.speakPiece(speech, index, signal)),
      settle: async (cost) => this.settle(caller, speech, cost),
      clientGone: caller.signal,
    });
    stream.on('error', (error) => {
      this.logger.warn(`Speech ended early: ${String(error)}`, { requestId: caller.requestId });
    });
    this.slots.keepUntil(caller.requestId, stream.settled);
    this.streams.add(stream);
    void stream.settled.then(() => this.streams.delete(stream));
    try {
      await stream.ready();
      return stream;
    } catch (error) {
      throw error instanceof VoiceEngineError ? toRefusal(error) : error;
    }
  }

  /** Streams that do not end in time are broken off: what was sent is charged before the process ends. */
  async beforeApplicationShutdown(): Promise<void> {
    const settled = Promise.all([...this.streams].map((stream) => stream.settled));
    await Promise.race([settled, wait(SHUTDOWN_MS, undefined, { ref: false })]);
    for (const stream of this.streams) stream.destroy(new Error('The process is being stopped.'));
    await settled;
  }

  private async hold(caller: Caller, speech: Speech): Promise<void> {
    const { request, pieces, cost, limitMs } = speech;
    try {
      // Before credits are held: a refusal writes nothing.
      this.engine.requireRoom({ ...request, text: pieces[0]!.text });
    } catch (error) {
      throw error instanceof VoiceEngineError ? toRefusal(error) : error;
    }
    await this.credits.hold(caller, cost, OPERATION, Math.ceil(limitMs / 1_000) + HOLD_MARGIN_SECS);
  }

  /** Once the first piece was spoken, a full queue is waited for: what was begun is finished. */
  private async speakPiece(
    { pieces, request, draft }: Speech,
    index: number,
    signal: AbortSignal,
  ): Promise<SpokenPart> {
    const piece = pieces[index]!;
    for (;;) {
      try {
        const spoken = await this.engine.speak({ ...request, text: piece.text }, signal);
        const isMp3Part = pieces.length > 1 && spoken.mediaType === 'audio/mpeg';
        const bytes = isMp3Part ? withoutInfoFrame(spoken.bytes) : spoken.bytes;
        await draft?.add(bytes, piece);
        this.spokenPieces += 1;
        return { piece, spoken: { ...spoken, bytes } };
      } catch (error) {
        signal.throwIfAborted();
        if (index === 0 || !isQueueFull(error)) {
          this.engineFailures += 1;
          throw error;
        }
        await wait(QUEUE_PAUSE_MS);
        signal.throwIfAborted();
      }
    }
  }

  /** Charges what was spoken, and keeps it in the history. */
  private async charge(caller: Caller, { draft, cost: held }: Speech, cost: number): Promise<void> {
    if (!draft) return this.credits.capture(caller, cost);
    await this.history.finish(draft, { held, cost }, async (em) => this.credits.capture(caller, cost, em));
  }

  private async settle(caller: Caller, speech: Speech, cost: number): Promise<void> {
    if (cost === 0) return this.credits.release(caller);
    for (let attempt = 1; attempt <= CAPTURE_ATTEMPTS; attempt++) {
      try {
        return await this.charge(caller, speech, cost);
      } catch (error) {
        const { requestId } = caller;
        this.logger.error(`Speech is not charged yet: ${String(error)}`, { requestId, cost, attempt });
        await wait(CAPTURE_PAUSE_MS * attempt);
      }
    }
  }
}

function isQueueFull(error: unknown): boolean {
  return error instanceof VoiceEngineError && error.failure === 'queue_full';
}

function tooLate(): VoiceEngineError {
  return new VoiceEngineError('timeout', 'the speech took too long');
}

function nothingToSpeak(text: string): InvalidInput {
  const msg = 'Value error, the text has nothing in it that can be spoken';
  return new InvalidInput([{ type: 'value_error', path: ['text'], msg, input: text.slice(0, 100) }]);
}
