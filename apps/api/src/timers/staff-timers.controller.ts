import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { Action, type ActionByStaff } from '../http/change';
import { RequireStaff } from '../http/staff-access';
import { PauseTimerBody, toTimerResponse, type TimerResponse } from './staff-timer.dto';
import { TimersService } from '@app/administration/workers/timers.service';

@Controller('admin/timers')
export class StaffTimersController {
  constructor(private readonly timers: TimersService) {}

  /** Everything that workers do again and again, those that run most often first. */
  @Get() // List everything that workers do on a timer
  @RequireStaff('queues.read')
  async list(): Promise<{ items: TimerResponse[] }> {
    return { items: (await this.timers.list()).map(toTimerResponse) };
  }

  /** One worker begins within seconds, also when the timer is paused. */
  @Post(':timer/run') // Run a timer now
  @HttpCode(200)
  @RequireStaff('queues.pause')
  async run(
    @Param('timer') timer: string,
    @Action() { actor, reason }: ActionByStaff,
  ): Promise<TimerResponse> {
    await this.timers.run(actor, timer, reason);
    return toTimerResponse(await this.timers.get(timer));
  }

  /** All workers, within seconds; a run in hand ends. It ends automatically. Some timers cannot be paused and say why. */
  @Post(':timer/pause') // Pause a timer until a time
  @HttpCode(200)
  @RequireStaff('queues.pause')
  async pause(
    @Param('timer') timer: string,
    @Action() { actor, reason }: ActionByStaff,
    @Body() { minutes }: PauseTimerBody,
  ): Promise<TimerResponse> {
    await this.timers.pause(actor, timer, { minutes, reason });
    return toTimerResponse(await this.timers.get(timer));
  }

  @Post(':timer/resume') // Resume a timer
  @HttpCode(200)
  @RequireStaff('queues.pause')
  async resume(
    @Param('timer') timer: string,
    @Action() { actor, reason }: ActionByStaff,
  ): Promise<TimerResponse> {
    await this.timers.resume(actor, timer, reason);
    return toTimerResponse(await this.timers.get(timer));
  }
}
