import { ConfigError } from '@app/config/app-config';
import { defaultRuleset, needsListener, type RulesetId } from '@app/domain/reviews/recording-rulesets';
import { decideRecording, undecodableVerdict, type Verdict } from '@app/domain/reviews/recording-verdict';
import type { SecondOpinion } from '@app/domain/reviews/second-opinion';
import { AudioThreads, type AudioSource, type MeasureOptions } from './audio-threads';
import type { MeasuredAudio } from './measure-task';
import { Dnsmos } from './dnsmos';
import { Ffmpeg } from './ffmpeg';
import { SpeakerModel, type HeardSpeaker } from './speaker-model';
import { UndecodableAudioError } from '../codecs/undecodable-audio.error';

export interface GradedRecording {
  verdict: Verdict;
  /** Null when the bytes are not acceptable audio. */
  measured: Omit<MeasuredAudio, 'windows' | 'stretches'> | null;
  /** Null without a model, and when the bytes are not acceptable audio. */
  secondOpinion: SecondOpinion | null;
  /** Who speaks; null without a model, and when the bytes are not acceptable audio. */
  speaker: HeardSpeaker | null;
  /** What was found instead of audio, and what is accepted; null for audio. */
  refusal: string | null;
}

type GradeOptions = Omit<MeasureOptions, 'withWindows' | 'withStretches'>;

interface GraderOptions {
  /** Recordings that are measured at the same time. */
  threads: number;
  /** A DNSMOS model; without one, nothing of it is loaded. */
  dnsmosModelPath?: string;
  /** A model of speakers; without one, nothing of it is loaded. */
  speakerModelPath?: string;
  /** An ffmpeg, for recordings that Greenroom does not decode; without one, they are refused. */
  ffmpegPath?: string;
  /** The rules to go by; by default those that the model is part of, or the standard ones. */
  ruleset?: RulesetId;
}

/** Grades recordings: decodes and measures them in worker threads, then evaluates them. */
export class RecordingGrader {
  private constructor(
    private readonly threads: AudioThreads,
    private readonly dnsmos: Dnsmos | null,
    private readonly speakers: SpeakerModel | null,
    /** The rules that it goes by. */
    readonly ruleset: RulesetId,
  ) {}

  /** @throws ConfigError when a model cannot be used, or the rules need a P.808 model that is missing */
  static async open(options: GraderOptions): Promise<RecordingGrader> {
    const { threads, dnsmosModelPath, speakerModelPath, ruleset, ffmpegPath } = options;
    const ffmpeg = ffmpegPath === undefined ? null : new Ffmpeg(ffmpegPath);
    const dnsmos = dnsmosModelPath === undefined ? null : await Dnsmos.open(dnsmosModelPath);
    try {
      const rules = chooseRuleset(ruleset, dnsmos);
      const speakers = speakerModelPath === undefined ? null : await SpeakerModel.open(speakerModelPath);
      return new RecordingGrader(new AudioThreads({ threads, ffmpeg }), dnsmos, speakers, rules);
    } catch (error) {
      await dnsmos?.close();
      throw error;
    }
  }

  /**
   * Grades one recording. Bytes that are not audio have a verdict too, and it is final.
   *
   * @throws AudioTaskTimeoutError, AudioTaskCrashedError, or the signal's reason: trouble that says nothing about the audio
   */
  async grade(recording: Uint8Array | AudioSource, options: GradeOptions = {}): Promise<GradedRecording> {
    try {
      const requested = { withWindows: this.dnsmos !== null, withStretches: this.speakers !== null };
      const { windows, stretches, ...heard } = await this.threads.measure(recording, {
        ...options,
        ...requested,
      });
      const { signal } = options;
      const [secondOpinion, speaker] = await Promise.all([
        this.dnsmos && windows ? this.dnsmos.listen(windows, signal) : null,
        this.speakers && stretches ? this.speakers.embed(stretches, signal) : null,
      ]);
      const measurements = { ...heard.measurements, listenerScore: secondOpinion?.p808 ?? null };
      const verdict = decideRecording(measurements, this.ruleset);
      return { verdict, measured: { ...heard, measurements }, secondOpinion, speaker, refusal: null };
    } catch (error) {
      if (!(error instanceof UndecodableAudioError)) throw error;
      const verdict = undecodableVerdict(error.found, this.ruleset);
      return { verdict, measured: null, secondOpinion: null, speaker: null, refusal: error.message };
    }
  }

  /**
   * Loads what the first recording would wait for.
   *
   * @throws AudioTaskTimeoutError, AudioTaskCrashedError
   */
  async warmUp(): Promise<void> {
    await this.threads.warmUp();
  }

  /** Waits for what is running, then ends the threads. */
  async close(): Promise<void> {
    await Promise.all([this.threads.close(), this.dnsmos?.close(), this.speakers?.close()]);
  }
}

/**
 * The rules to go by.
 *
 * @param configured as in REVIEW_RULESET; without it, the model decides
 * @throws ConfigError when the configured rules need a P.808 model and there is none
 */
export function chooseRuleset(configured: RulesetId | undefined, model: Dnsmos | null): RulesetId {
  const hasListener = model?.kind === 'p808';
  const ruleset = configured ?? defaultRuleset(hasListener);
  if (hasListener || !needsListener(ruleset)) return ruleset;
  throw new ConfigError([
    `REVIEW_RULESET: "${ruleset}" needs a model of listeners; give the path of a DNSMOS P.808 model (model_v8.onnx) in DNSMOS_MODEL_PATH, or choose other rules.`,
  ]);
}
