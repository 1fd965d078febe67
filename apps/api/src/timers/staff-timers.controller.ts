import { byStaff } from '@app/administration/audit/audit-actors';
import type { Staff } from '@app/domain/staff/staff';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ReasonBody } from '../http/reason';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import { PauseTimerBody, toTimerResponse, type TimerResponse } from './staff-timer.dto';
import { TimersService } from './timers.service';

@Controller('admin/timers')
export class StaffTimersController {
  constructor(private readonly timers: TimersService) {}

  /** Everything that workers do again and again, those that run most often first. */
  @Get()
  @RequireStaff('queues.read')
  async list(): Promise<{ items: TimerResponse[] }> {
    return { items: (await this.timers.list()).map(toTimerResponse) };
  }

  /** One worker begins within seconds, also when the timer is paused. */
  @Post(':timer/run')
  @HttpCode(200)
  @RequireStaff('queues.pause')
  async run(
    @CurrentStaff() staff: Staff,
    @Param('timer') timer: string,
    @Body() { reason }: ReasonBody,
  ): Promise<TimerResponse> {
    await this.timers.run(byStaff(staff), timer, reason);
    return toTimerResponse(await this.timers.get(timer));
  }

  /** All workers, within seconds; a run in hand ends. It ends automatically. Some timers cannot be paused and say why. */
  @Post(':timer/pause')
  @HttpCode(200)
  @RequireStaff('queues.pause')
  async pause(
    @CurrentStaff() staff: Staff,
    @Param('timer') timer: string,
    @Body() { minutes, reason }: PauseTimerBody,
  ): Promise<TimerResponse> {
    await this.timers.pause(byStaff(staff), timer, { minutes, reason });
    return toTimerResponse(await this.timers.get(timer));
  }

  @Post(':timer/resume')
  @HttpCode(200)
  @RequireStaff('queues.pause')
  async resume(
    @CurrentStaff() staff: Staff,
    @Param('timer') timer: string,
    @Body() { reason }: ReasonBody,
  ): Promise<TimerResponse> {
    await this.timers.resume(byStaff(staff), timer, reason);
    return toTimerResponse(await this.timers.get(timer));
  }
}
