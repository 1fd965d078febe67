import { UsageSinksService } from '@app/administration/installation/usage-sinks.service';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { Action, type ActionByStaff } from '../http/change';
import { RequireStaff } from '../http/staff-access';
import { ReplayUsageBody, toReplay, toUsageSinkResponse, type UsageSinkResponse } from './usage-sink.dto';

@Controller('admin/usage-sinks')
export class StaffUsageSinksController {
  constructor(private readonly sinks: UsageSinksService) {}

  /** Which there are stands in USAGE_SINKS. */
  @Get() // List the billing systems that usage is sent to, and how far they are
  @RequireStaff('usage_sinks.read')
  async list(): Promise<UsageSinkResponse[]> {
    return (await this.sinks.list()).map(toUsageSinkResponse);
  }

  @Post(':name/replay') // Send the usage since a time to a billing system again
  @HttpCode(200)
  @RequireStaff('usage_sinks.replay', { confirmed: true })
  async replay(
    @Param('name') name: string,
    @Action() { actor, reason }: ActionByStaff,
    @Body() body: ReplayUsageBody,
  ): Promise<UsageSinkResponse> {
    await this.sinks.replay(actor, { ...toReplay(body), name, reason });
    return toUsageSinkResponse((await this.sinks.list()).find(({ sink }) => sink.name === name)!);
  }
}
