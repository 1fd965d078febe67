import { Controller, Get, Query } from '@nestjs/common';
import { RequireStaff } from '../http/staff-access';
import { RulesetComparisonService, type ListedRuleset } from './ruleset-comparison.service';
import { CompareQuery, toComparisonResponse, type ComparisonResponse } from './staff-review.dto';
import { toVoiceFilter } from '../voices/staff-voice-query.dto';

@Controller('admin/rulesets')
export class StaffRulesetsController {
  constructor(private readonly comparisons: RulesetComparisonService) {}

  @Get() // List rulesets
  @RequireStaff('voices.read')
  async list(): Promise<{ items: ListedRuleset[] }> {
    return { items: await this.comparisons.list() };
  }

  /** What would become of the voices that match if reviews went by other rules. Nothing changes. */
  @Get('compare') // Compare two rulesets on stored measurements
  @RequireStaff('voices.review')
  async compare(@Query() query: CompareQuery): Promise<ComparisonResponse> {
    return toComparisonResponse(await this.comparisons.compare(toVoiceFilter(query), query));
  }
}
