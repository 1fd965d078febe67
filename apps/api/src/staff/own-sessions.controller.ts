import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import type { Staff } from '@app/domain/staff/staff';
import { CurrentStaff, RequireSession } from '../http/staff-access';
import { toOwnSessionResponse, type OwnSessionResponse } from './own-sessions.dto';
import { OwnSessionsService } from './own-sessions.service';

@Controller('admin/me')
export class OwnSessionsController {
  constructor(private readonly sessions: OwnSessionsService) {}

  @Get('sessions') // List the own sessions
  @RequireSession()
  async list(@CurrentStaff() staff: Staff): Promise<{ items: OwnSessionResponse[] }> {
    const sessions = await this.sessions.list(staff);
    return { items: sessions.map((session) => toOwnSessionResponse(session, staff.sessionId)) };
  }

  @Post('sessions/:session_id/end') // End one of the own sessions
  @HttpCode(204)
  @RequireSession()
  async end(@CurrentStaff() staff: Staff, @Param('session_id') sessionId: string): Promise<void> {
    await this.sessions.end(staff, sessionId);
  }

  @Post('end-other-sessions') // End the own sessions but this one
  @HttpCode(200)
  @RequireSession()
  async endOthers(@CurrentStaff() staff: Staff): Promise<{ ended: number }> {
    return this.sessions.endOthers(staff);
  }
}
