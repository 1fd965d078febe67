import { Controller, Get, Param, Query } from '@nestjs/common';
import { RequireStaff } from '../http/staff-access';
import {
  readDays,
  toRefusalResponse,
  toTrafficResponse,
  TrafficQuery,
  type RefusalResponse,
  type TrafficResponse,
} from './observed-traffic.dto';
import { ObservedTrafficService } from './observed-traffic.service';

@Controller('admin/api-keys/:key_id')
export class StaffObservedTrafficController {
  constructor(private readonly traffic: ObservedTrafficService) {}

  @Get('traffic') // Get the observed traffic of an API key
  @RequireStaff('keys.read')
  async get(@Param('key_id') keyId: string, @Query() query: TrafficQuery): Promise<TrafficResponse> {
    return toTrafficResponse(await this.traffic.get(keyId, readDays(query)));
  }

  @Get('refusals') // List the latest refusals of an API key
  @RequireStaff('keys.read')
  async listRefusals(@Param('key_id') keyId: string): Promise<{ items: RefusalResponse[] }> {
    return { items: (await this.traffic.listRefusals(keyId)).map(toRefusalResponse) };
  }
}
