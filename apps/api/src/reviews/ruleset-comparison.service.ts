import { AppConfig } from '@app/config/app-config';
import { ReviewAppealRepository } from '@app/database/voices/review-appeal.repository';
import type { StaffVoiceFilter } from '@app/database/voices/staff-voice-filter';
import { StaffVoiceRepository, type MeasuredVoice } from '@app/database/voices/staff-voice.repository';
import { NO_APPEALS, type AppealCounts } from '@app/domain/reviews/appeal';
import { ALL_RULESETS, CURRENT_RULESET, type RulesetId } from '@app/domain/reviews/recording-rulesets';
import type { RecordingGrade } from '@app/domain/reviews/review-state';
import { RulesetComparison } from '@app/domain/reviews/ruleset-comparison';
import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Read and evaluated at a time; other requests are served in between. */
const BATCH = 500;
const MAX_VOICES = 20_000;
const MAX_EXAMPLES = 20;

export interface ListedRuleset {
  id: RulesetId;
  title: string;
  /** How it differs from the first. */
  summary: string;
  /** Whether reviews go by it. */
  current: boolean;
  /** The least score of each grade. */
  grades: Record<string, number>;
  /** Appeals of customers against its verdicts, by how they ended. */
  appeals: AppealCounts;
}

interface ChangedVoice {
  id: string;
  name: string;
  from: RecordingGrade;
  to: RecordingGrade;
}

export interface ComparedRulesets {
  comparison: RulesetComparison;
  /** Graded by a person: rules do not touch them. */
  overridden: number;
  /** Without measurements: never decoded, or not reviewed yet. */
  unmeasured: number;
  /** Whether voices were left out because there are more than can be compared at once. */
  isPartial: boolean;
  examples: ChangedVoice[];
}

/** What another ruleset would change for the stored voices, before it is chosen. */
@Injectable()
export class RulesetComparisonService {
  constructor(
    private readonly voices: StaffVoiceRepository,
    private readonly appeals: ReviewAppealRepository,
    private readonly config: AppConfig,
  ) {}

  /** Every ruleset; the one that reviews go by is marked. */
  async list(): Promise<ListedRuleset[]> {
    const [current, counted] = await Promise.all([this.findCurrent(), this.appeals.countByRuleset()]);
    return ALL_RULESETS.map(({ id, title, summary, grades }) => {
      const { open, kept, changed } = counted.find(({ ruleset }) => ruleset === id) ?? NO_APPEALS;
      return { id, title, summary, grades, current: id === current, appeals: { open, kept, changed } };
    });
  }

  /** Evaluates the stored measurements of every voice that matches by both rules. Nothing changes. */
  async compare(
    filter: StaffVoiceFilter,
    { from, to }: { from?: RulesetId; to: RulesetId },
  ): Promise<ComparedRulesets> {
    const result: ComparedRulesets = {
      comparison: new RulesetComparison(from ?? (await this.findCurrent()), to),
      overridden: 0,
      unmeasured: 0,
      isPartial: false,
      examples: [],
    };
    let seen = 0;
    for (let afterId = ''; ; await nextTurn()) {
      const batch = await this.voices.listMeasured(filter, afterId, BATCH);
      for (const voice of batch) add(voice, result);
      seen += batch.length;
      if (batch.length < BATCH) return result;
      if (seen >= MAX_VOICES) return { ...result, isPartial: true };
      afterId = batch.at(-1)!.id;
    }
  }

  /** Unless configured, the rules depend on the model of the workers, which only their verdicts show. */
  private async findCurrent(): Promise<RulesetId> {
    if (this.config.reviewRuleset) return this.config.reviewRuleset;
    const latest = await this.voices.findLatestRuleset();
    return ALL_RULESETS.find(({ id }) => id === latest)?.id ?? CURRENT_RULESET;
  }
}

function add({ id, name, state, measurements }: MeasuredVoice, result: ComparedRulesets): void {
  if (state === 'overridden') result.overridden += 1;
  else if (!measurements) result.unmeasured += 1;
  else {
    const change = result.comparison.add(measurements);
    if (change && result.examples.length < MAX_EXAMPLES) result.examples.push({ id, name, ...change });
  }
}
