import { Controller, Get, Query } from '@nestjs/common';
import { CurrentCaller } from '../http/caller';
import type { Caller } from '@app/domain/keys/caller';
import { RequireScope } from '../http/route-access';
import { CharacterStatsQuery, readStatsQuery, type CharacterStats } from './usage.dto';
import { UsageService } from './usage.service';

@Controller('v1/usage')
export class PublicUsageController {
  constructor(private readonly usage: UsageService) {}

  @Get('character-stats') // Get usage over time
  @RequireScope('user_read')
  async getCharacterStats(
    @CurrentCaller() caller: Caller,
    @Query() query: CharacterStatsQuery,
  ): Promise<CharacterStats> {
    const requested = readStatsQuery(query, await this.usage.openedAtMs(caller));
    return this.usage.getCharacterStats(caller, requested);
  }
}
