import { mediaTypeOf } from '@app/audio/codecs/encode-audio';
import { markAudio } from '@app/audio/codecs/mark-audio';
import { codecOf, pcmFormatOf } from '@app/audio/codecs/output-format';
import { asWav } from '@app/audio/codecs/wav-file';
import { SpeechEncoder, type SpeechEncoding } from '@app/audio/threads/speech-encoder';
import { AppConfig } from '@app/config/app-config';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { DomainError } from '@app/domain/errors';
import type { Caller } from '@app/domain/keys/caller';
import { editVoiceSettings } from '@app/domain/voices/voice-settings';
import { GenerationSlots } from '@app/limits/generation-slots';
import { PieceReader } from '@app/voice-engine/piece-reader';
import { estimatePiece, slowestSpeechSecs } from '@app/voice-engine/speech-estimate';
import { unspokenCharacters, type SpokenScripts } from '@app/voice-engine/speakable-text';
import {
  engineOf,
  type SpeechRequest,
  type SpokenPiece,
  type VoiceEngine,
} from '@app/voice-engine/voice-engine';
import { VoiceEngineError } from '@app/voice-engine/voice-engine.error';
import { VOICE_ENGINE } from '@app/voice-engine/voice-engine.provider';
import { Inject, Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { setTimeout as wait } from 'node:timers/promises';
import { HistoryRecorder } from '../history/history-recorder';
import { syntheticMark } from '../http/synthetic-mark';
import { GenerationCredits, NotHeldError } from '../text-to-voice/generation-credits';
import { requireEntitled, requireVoice, toRefusal } from '../text-to-voice/generation.service';
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
/** Between two attempts to charge: from the first to the second, and the longest. */
const CHARGE_PAUSE_MS = 500;
const CHARGE_PAUSE_LIMIT_MS = 4_000;
/** So long before its hold ends, a charge fails for good. */
const CHARGE_MARGIN_MS = 5_000;
/** How long the end of a stream waits for its charge, and how long whole speech does, which is not sent without. */
const STREAM_CHARGE_MS = 3_000;
const WHOLE_CHARGE_MS = 10_000;
/** Between two attempts of a piece in the middle of a text to have a place in the engine's queue. */
const QUEUE_PAUSE_MS = 1_000;
/** Between two attempts to verify the key of a stream. */
const ADMIT_PAUSE_MS = 1_000;
/** How long streams may continue when the process has to stop, and after them their charges. */
const SHUTDOWN_MS = 5_000;

/** What a request has come to: the characters that were sent, and credits. */
interface Spent {
  sent: number;
  cost: number;
}

/** Lets stored voices speak, and charges one credit a character. */
@Injectable()
export class TextToSpeechService implements BeforeApplicationShutdown {
  engineFailures = 0;
  spokenPieces = 0;
  /** Streams whose charge failed after its last attempt. */
  unchargedStreams = 0;
  private readonly logger = new Logger(TextToSpeechService.name);
  private readonly streams = new Set<SpeechStream>();
  private readonly charges = new Set<Promise<void>>();
  /** When the last charges must be complete, on the monotonic clock. */
  private stopAtMs = Infinity;

  constructor(
    @Inject(VOICE_ENGINE) private readonly engine: VoiceEngine,
    private readonly voices: VoicesService,
    private readonly credits: GenerationCredits,
    private readonly slots: GenerationSlots,
    private readonly history: HistoryRecorder,
    private readonly encoder: SpeechEncoder,
    private readonly config: AppConfig,
  ) {}

  /** What the engine reads. */
  get scripts(): SpokenScripts {
    return this.engine.scripts;
  }

  /**
   * Reads what a voice is to say. Nothing is held or spoken yet, and no more of the text is read than what costs nothing.
   *
   * @throws InvalidInput, and the errors of `requireSpeakable`
   */
  async prepare(caller: Caller, voiceId: string, input: SpeechInput): Promise<Speech> {
    const { text, format, modelId, timed } = input;
    const { spec, ...voice } = await this.requireSpeakable(caller, voiceId, input);
    const { speaks: accepted } = this.engine;
    const pieces = new PieceReader(text, this.engine.scripts);
    if (!pieces.begin()) throw nothingToSpeak(text);
    const { speechSecs, bytes } = estimatePiece({ text, outputFormat: format, timed });
    const settings = editVoiceSettings(voice.settings, input.settings ?? {});
    const { accountId, keyId } = caller.key;
    const spoken = { accountId, keyId, voiceId: voice.id, voiceName: voice.name, modelId, settings };
    const audio = { mediaType: mediaTypeOf(format), outputFormat: format, requestId: caller.requestId };
    const draft = input.isStored ? this.history.begin({ ...spoken, ...audio }) : null;
    return {
      pieces,
      cost: [...text].length,
      bytes,
      limitMs: Math.min(LONGEST_SECS, LIMIT_SECS + slowestSpeechSecs(speechSecs)) * 1_000,
      request: {
        accountId,
        requestId: caller.requestId,
        spec,
        speed: settings.speed,
        outputFormat: format,
        modelId,
        timed,
      },
      engine: accepted,
      unspoken: () => (this.engine.scripts === 'latin' ? unspokenCharacters(text) : []),
      mark: syntheticMark(this.config, draft?.item.id ?? caller.requestId),
      draft,
    };
  }

  /**
   * The voice, if it can speak here in a format, and the key may use it and the model.
   *
   * @throws DomainError `voice_not_found`, `voice_held`, `voice_not_speakable`, and the refusals of the format, the model and the voice
   */
  async requireSpeakable(
    caller: Caller,
    voiceId: string,
    { format, modelId }: Pick<SpeechInput, 'format' | 'modelId'>,
  ) {
    requireEntitled(caller.key, { format, modelId });
    const voice = await this.voices.getUsable(caller, voiceId);
    requireVoice(caller.key, voice.id);
    const { speaks: accepted } = this.engine;
    if (engineOf(voice.spec) !== accepted) throw notSpeakable(voiceId, voice.spec, accepted);
    return voice;
  }

  /**
   * Speaks all of it, and charges it; nothing is charged when a part cannot be spoken, or the client goes away, except what a
   * service elsewhere took for it. Sets `cost` to what is charged.
   */
  async speak(caller: Caller, speech: Speech): Promise<SpokenPart[]> {
    await this.hold(caller, speech);
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(tooLate()), speech.limitMs);
    const signal = AbortSignal.any([caller.signal, end.signal]);
    // A single piece is encoded as a separate file, which says how long it is.
    const isFile = (await speech.pieces.at(1)) === undefined;
    const encoding = isFile ? null : this.encoder.begin(speech.request.outputFormat);
    try {
      const spoken: SpokenPart[] = [];
      do spoken.push(await this.speakPiece(speech, spoken.length, encoding, signal));
      while (await speech.pieces.at(spoken.length));
      const [first, ...others] = asFile(speech, spoken);
      const parts = [marked(speech, first!), ...others];
      for (const part of parts) await speech.draft?.add(part.spoken.bytes, part.piece);
      const spent = { sent: speech.cost, cost: await this.credits.requireCost(caller, speech.cost) };
      await this.charge(caller, speech, spent, performance.now() + WHOLE_CHARGE_MS);
      speech.cost = spent.cost;
      return parts;
    } catch (error) {
      await this.credits.release(caller);
      throw error instanceof VoiceEngineError ? toRefusal(error) : error;
    } finally {
      clearTimeout(timer);
      encoding?.end();
    }
  }

  /**
   * Begins to speak; resolves when the first piece is spoken. What is sent is charged, and the rest released.
   *
   * @param options.admit verifies the key again, before each part but the first; throws DomainError when it is refused
   * @param options.write what is sent of a part; called once for each, in their order
   */
  async startStream(
    caller: Caller,
    speech: Speech,
    { admit, write }: { admit: () => Promise<void>; write: (part: SpokenPart) => Uint8Array },
  ): Promise<SpeechStream> {
    const heldUntilMs = await this.hold(caller, speech);
    const encoding = this.encoder.begin(speech.request.outputFormat);
    const stream = new SpeechStream({
      speech,
      speak: async (index, signal) => {
        if (index > 0) await this.admit(admit, signal);
        const spoken = await this.speakPiece(speech, index, encoding, signal);
        const part = index === 0 ? marked(speech, spoken) : spoken;
        await speech.draft?.add(part.spoken.bytes, part.piece);
        return write(part);
      },
      settle: async (cost) => this.settle(caller, speech, cost, heldUntilMs),
      clientGone: caller.signal,
    });
    stream.on('error', (error) => {
      this.logger.warn(`Speech ended early: ${String(error)}`, { requestId: caller.requestId });
    });
    this.slots.keepUntil(caller.requestId, stream.settled);
    this.streams.add(stream);
    void stream.settled.then(() => {
      this.streams.delete(stream);
      encoding?.end();
    });
    try {
      await stream.ready();
      return stream;
    } catch (error) {
      throw error instanceof VoiceEngineError ? toRefusal(error) : error;
    }
  }

  /** Streams that do not end in time are broken off: what was sent is charged before the process ends, if the database responds. */
  async beforeApplicationShutdown(): Promise<void> {
    const settled = Promise.all([...this.streams].map((stream) => stream.settled));
    await Promise.race([settled, wait(SHUTDOWN_MS, undefined, { ref: false })]);
    for (const stream of this.streams) stream.destroy(new Error('The process is being stopped.'));
    await settled;
    this.stopAtMs = performance.now() + SHUTDOWN_MS;
    await Promise.all(this.charges);
    await this.encoder.close();
  }

  /** Returns until when the credits are held at least, on the monotonic clock. */
  private async hold(caller: Caller, speech: Speech): Promise<number> {
    const { request, pieces, cost, limitMs } = speech;
    try {
      // Before credits are held: a refusal writes nothing.
      this.engine.requireRoom({ ...request, text: pieces.beginning });
    } catch (error) {
      throw error instanceof VoiceEngineError ? toRefusal(error) : error;
    }
    const holdSecs = Math.ceil(limitMs / 1_000) + HOLD_MARGIN_SECS;
    const startedAtMs = performance.now();
    await this.credits.hold(caller, cost, OPERATION, holdSecs);
    return startedAtMs + holdSecs * 1_000;
  }

  /** A database that is away is waited for: until it responds, the key may have been disabled. */
  private async admit(admit: () => Promise<void>, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        return await admit();
      } catch (error) {
        if (error instanceof DomainError) throw error;
        this.logger.warn(`Speech waits until its key is verified: ${String(error)}`);
        await wait(ADMIT_PAUSE_MS);
        signal.throwIfAborted();
      }
    }
  }

  /** Speaks a piece in the form in which it follows those before it. */
  private async speakPiece(
    speech: Speech,
    index: number,
    encoding: SpeechEncoding | null,
    signal: AbortSignal,
  ): Promise<SpokenPart> {
    const piece = await speech.pieces.at(index);
    if (!piece) throw nothingToSpeak(speech.pieces.text);
    const isLast = (await speech.pieces.at(index + 1)) === undefined;
    const { outputFormat } = speech.request;
    // Samples, where the format has to be that of the whole.
    const isPartOfWav = codecOf(outputFormat).codec === 'wav' && !(isLast && index === 0);
    const format = encoding || isPartOfWav ? pcmFormatOf(outputFormat) : outputFormat;
    try {
      const request = { ...speech.request, text: piece.text, outputFormat: format };
      const spoken = await this.speakWhenThereIsRoom(request, index === 0, signal);
      const bytes = encoding ? await encoding.encode(spoken.bytes, isLast) : spoken.bytes;
      this.spokenPieces += 1;
      return { piece, spoken: { ...spoken, bytes } };
    } catch (error) {
      signal.throwIfAborted();
      this.engineFailures += 1;
      throw error;
    }
  }

  /** Once the first piece was spoken, a full queue is waited for: what was begun is finished. */
  private async speakWhenThereIsRoom(
    request: SpeechRequest,
    isFirst: boolean,
    signal: AbortSignal,
  ): Promise<SpokenPiece> {
    for (;;) {
      try {
        return await this.engine.speak(request, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (isFirst || !isQueueFull(error)) throw error;
        await wait(QUEUE_PAUSE_MS);
        signal.throwIfAborted();
      }
    }
  }

  /** Charges what a stream has sent. Its end waits a while for that; the charge itself is tried as long as the credits are held. */
  private async settle(caller: Caller, speech: Speech, sent: number, heldUntilMs: number): Promise<void> {
    const charge = this.settleInTime(caller, speech, sent, heldUntilMs - CHARGE_MARGIN_MS).catch(
      (error: unknown) => {
        this.unchargedStreams += 1;
        const { requestId } = caller;
        this.logger.error(`Speech was sent and is not charged: ${String(error)}`, { requestId, sent });
      },
    );
    this.charges.add(charge);
    void charge.then(() => this.charges.delete(charge));
    await Promise.race([charge, wait(STREAM_CHARGE_MS, undefined, { ref: false })]);
  }

  private async settleInTime(caller: Caller, speech: Speech, sent: number, untilMs: number): Promise<void> {
    const cost = await this.credits.costOf(caller, sent);
    // Nothing, or not all of it is known.
    if (!cost) return this.credits.release(caller);
    await this.charge(caller, speech, { sent, cost }, untilMs);
  }

  /** Charges what was spoken, and keeps it in the history. An attempt whose response was lost is repeated, and charges once. */
  private async charge(caller: Caller, speech: Speech, spent: Spent, untilMs: number): Promise<void> {
    for (let pauseMs = CHARGE_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, CHARGE_PAUSE_LIMIT_MS)) {
      try {
        return await this.chargeOnce(caller, speech, spent);
      } catch (error) {
        const isLast = performance.now() + pauseMs > Math.min(untilMs, this.stopAtMs);
        if (isLast || error instanceof NotHeldError) throw error;
        const { requestId } = caller;
        if (pauseMs === CHARGE_PAUSE_MS)
          this.logger.error(`Speech is not charged yet: ${String(error)}`, { requestId, ...spent });
        await wait(pauseMs);
      }
    }
  }

  private async chargeOnce(caller: Caller, { draft, cost: held }: Speech, spent: Spent): Promise<void> {
    const { cost } = spent;
    if (!draft) return this.credits.capture(caller, cost);
    await this.history.finish(draft, { held, ...spent }, async (em) =>
      this.credits.capture(caller, cost, em),
    );
  }
}

/** The first part of a text, which says in its container that the text is machine-made. */
function marked({ mark, request }: Speech, { piece, spoken }: SpokenPart): SpokenPart {
  const bytes = mark ? markAudio(spoken.bytes, mediaTypeOf(request.outputFormat), mark) : spoken.bytes;
  return { piece, spoken: { ...spoken, bytes } };
}

/** The parts of a whole text: the first part of a WAV file begins with the length of all. */
function asFile({ request }: Speech, parts: SpokenPart[]): SpokenPart[] {
  const { codec, sampleRate } = codecOf(request.outputFormat);
  const [first, ...others] = parts;
  if (codec !== 'wav' || !first || others.length === 0) return parts;
  const [header] = asWav(
    parts.map(({ spoken }) => spoken.bytes),
    sampleRate,
  );
  const bytes = new Uint8Array(Buffer.concat([header!, first.spoken.bytes]));
  return [{ ...first, spoken: { ...first.spoken, bytes } }, ...others];
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
