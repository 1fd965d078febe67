import type { RecordingGrade, ReviewState } from '@app/domain/reviews/review-state';
import type { SafetyState } from '@app/domain/voices/voice-safety';
import type { VoiceSettings } from '@app/domain/voices/voice-settings';
import { Column, CreateDateColumn, Entity, Index, OneToMany, PrimaryColumn, type Relation } from 'typeorm';
import { RECORDING_ENGINE } from '../../domain/voices/recording-engine';
import { VoiceSample } from './voice-sample.entity';

/** What a voice was created from: a description, or recordings. */
export type VoiceCategory = 'generated' | 'cloned';

/** A stored voice and the state of its review. */
@Entity('voice')
@Index('voice_account_idx', ['accountId', 'createdAt', 'id'])
@Index('voice_name_idx', { synchronize: false })
@Index('voice_search_idx', { synchronize: false })
@Index('voice_shared_idx', ['sharedAt', 'id'], { where: 'shared_at IS NOT NULL' })
@Index('voice_safety_idx', ['safetyState', 'id'], { where: 'safety_state IS NOT NULL' })
@Index('voice_review_idx', ['reviewState', 'reviewTouchedAt'])
@Index('voice_created_idx', { synchronize: false })
@Index('voice_request_idx', ['requestId'])
@Index('voice_touched_idx', ['reviewTouchedAt', 'id'])
@Index('voice_all_names_idx', { synchronize: false })
@Index('voice_name_part_idx', { synchronize: false })
@Index('voice_tags_idx', { synchronize: false })
@Index('voice_origin_idx', { synchronize: false })
@Index('voice_aliased_idx', ['accountId'], { where: "aliases <> '{}'" })
export class Voice {
  /** The public `voice_id`. */
  @PrimaryColumn('text')
  id: string;

  @Column('uuid')
  accountId: string;

  @Column('text')
  name: string;

  @Column('text')
  description: string;

  @Column('jsonb')
  labels: Record<string, string>;

  /** Null until the account has changed them: the default settings. */
  @Column('jsonb', { nullable: true })
  settings: VoiceSettings | null;

  /** Name, description and label values in lower case, set by a trigger: what a search looks at. */
  @Column('text', { default: '', select: false })
  searchText: string;

  /** The preview it was created from, unique: a preview becomes at most one voice. Null for any other voice. */
  @Index('voice_preview_idx', { unique: true })
  @Column('text', { nullable: true })
  previewId: string | null;

  /** The voices that it came of by remixing or as a copy, the nearest first; some may be deleted. */
  @Column('text', { array: true, default: () => "'{}'" })
  originVoiceIds: string[];

  @Column('text')
  engine: string;

  @Column('jsonb')
  spec: object;

  /** What the engine understood of the description, and what not; null when it was not recorded. */
  @Column('jsonb', { nullable: true })
  understood: object | null;

  @Column('text')
  language: string;

  /** Digest of the content of the create request, to distinguish a repeated request from another one. */
  @Column('text')
  contentDigest: string;

  /** The request that created it; its id follows the voice into its job. */
  @Column('text')
  requestId: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  /** What staff file it under, each once and in order, see `checkTags`; customers never see them. */
  @Column('text', { array: true, default: () => "'{}'" })
  tags: string[];

  /** Ids under which its account finds it beside its own, each once and in order, see `checkAliases`. */
  @Column('text', { array: true, default: () => "'{}'" })
  aliases: string[];

  /** When staff put it into the catalogue; null when it is only its account's. */
  @Column('timestamptz', { nullable: true })
  sharedAt: Date | null;

  /** What staff have decided against it: then it neither plays nor speaks. */
  @Column('text', { nullable: true })
  safetyState: SafetyState | null;

  /** What the customer reads of that. */
  @Column('text', { nullable: true })
  safetyNotice: string | null;

  /** The voice that was decided about, when this one only came of it. */
  @Column('text', { nullable: true })
  safetyOriginId: string | null;

  @Column('text', { default: 'queued' })
  reviewState: ReviewState;

  /** Counts reviews: each (re-)review is a generation with its own job. */
  @Column('int', { default: 1 })
  reviewGeneration: number;

  /** Fencing token of the attempt that may write the verdict. */
  @Column('uuid', { nullable: true })
  reviewToken: string | null;

  /** Attempts of this generation so far. */
  @Column('int', { default: 0 })
  reviewAttempts: number;

  /** Last time the review moved, by database time. */
  @Column('timestamptz', { default: () => 'now()' })
  reviewTouchedAt: Date;

  @Column('text', { nullable: true })
  recordingQuality: RecordingGrade | null;

  @Column('text', { nullable: true })
  recordingQualityReason: string | null;

  @OneToMany(() => VoiceSample, (sample) => sample.voice)
  samples: Relation<VoiceSample>[];
}

export function categoryOf({ engine }: Pick<Voice, 'engine'>): VoiceCategory {
  return engine === RECORDING_ENGINE ? 'cloned' : 'generated';
}

/** The samples of a voice in their order. The first one is what the voice is played with. */
export function samplesOf({ samples }: Pick<Voice, 'samples'>): VoiceSample[] {
  return samples.toSorted((a, b) => a.position - b.position);
}
