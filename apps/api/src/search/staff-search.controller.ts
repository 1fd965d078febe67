import type { Staff } from '@app/domain/staff/staff';
import { Controller, Get, Query } from '@nestjs/common';
import { CurrentStaff, RequireSession } from '../http/staff-access';
import { SearchQuery, toSearchResponse, type SearchResponse } from './search.dto';
import { SearchService } from './search.service';

@Controller('admin/search')
export class StaffSearchController {
  constructor(private readonly searching: SearchService) {}

  /** What the caller may read and the text may name: a few of every kind. */
  @Get() // Find anything by a name, an id, an address or the last four of a secret
  @RequireSession()
  async find(@CurrentStaff() staff: Staff, @Query() { q }: SearchQuery): Promise<SearchResponse> {
    return toSearchResponse(await this.searching.search(staff, q));
  }
}
